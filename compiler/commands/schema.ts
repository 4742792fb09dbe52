import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotWrite } from '../emit/cannot-write.ts';
import { packageFile } from '../package-files.ts';
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
  const from = packageFile(`schemas/generated/${source}`);
  try {
    await mkdir(out, { recursive: true });
    await cp(from, source.includes('.') ? join(out, source) : out, { recursive: true });
  } catch (error) {
    throw cannotWrite(out, error);
  }
  const files = source.includes('.') ? [source] : (await readdir(from)).sort();
  for (const file of files) process.stdout.write(`${join(out, file)}\n`);
  return 0;
}
