import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '#shared/util';
import { createWriteError } from '../emit/write-error.ts';
import { listPackageFiles, readPackageFile } from '../package-files.ts';
import { UsageError } from '../usage-error.ts';

/** What `lintel schema` writes: folders or files of the generated schemas that ship with the package. */
const PARTS: { readonly [part: string]: string } = { json: 'json', crd: 'crd', reference: 'REFERENCE.md' };

/** Writes JSON Schemas for editors, CRDs for a cluster, or the field reference. Returns the exit code. */
export async function schema(
  part: string,
  { out, group }: { readonly out: string; readonly group?: string },
): Promise<number> {
  if (group !== undefined) throw new UsageError('--group is for cdk8s only');
  const source = PARTS[part];
  if (source === undefined) throw new UsageError(`unknown schema "${part}"; one of: ${Object.keys(PARTS).join(', ')}`);
  const isFile = source.includes('.');
  const from = isFile ? 'schemas/generated' : `schemas/generated/${source}`;
  const files = isFile ? [source] : listPackageFiles(from);
  try {
    await makeFolder(out);
    for (const file of files) await writeFile(join(out, file), readPackageFile(`${from}/${file}`));
  } catch (error) {
    throw createWriteError(out, error);
  }
  for (const file of files) process.stdout.write(`${join(out, file)}\n`);
  return 0;
}
