import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { API_GROUP } from '#schemas';
import { makeFolder } from '#shared/util';
import { STANDALONE_PARTS, standaloneSource } from '../cdk8s/generate/standalone-source.ts';
import { createWriteError } from '../emit/write-error.ts';
import { readPackageFile } from '../package-files.ts';
import { UsageError } from '../usage-error.ts';

/** A DNS subdomain with a dot, as the API server requires: RFC 1123, section 2.1. */
const GROUP = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

/**
 * Writes constructs as one TypeScript file, named after the API group. Returns the exit code.
 *
 * @param group of the objects; default: Lintel's
 * @throws UsageError for an invalid API group, or for a folder that cannot be written
 */
export async function schemaCdk8s(out: string, group: string = API_GROUP): Promise<number> {
  if (!GROUP.test(group)) throw new UsageError(`"${group}" is no API group; give a domain such as ${API_GROUP}`);
  const text = standaloneSource(group, STANDALONE_PARTS.map(readPackageFile));
  const path = join(out, `${group}.ts`);
  try {
    await makeFolder(out);
    await writeFile(path, text);
  } catch (error) {
    throw createWriteError(out, error);
  }
  process.stdout.write(`${path}\n`);
  return 0;
}
