/**
 * `npm run generate [-- --check] [-- --out DIR]`: writes `schemas/generated/` from the kind definitions.
 *
 * Exit codes: 0 written, or up to date · 1 `--check` found a difference, listed on stderr · 2 wrong usage.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { FILES } from '../files/index.ts';
import { KINDS } from '../kinds/index.ts';
import { compareFolder, repairFolder } from './folder.ts';
import { collectOutputs, OWNED_FOLDERS } from './outputs.ts';

const USAGE = 'usage: generate [--check] [--out DIR]';

function main(args: readonly string[]): number {
  let options: { check?: boolean; out?: string };
  try {
    options = parseArgs({ args: [...args], options: { check: { type: 'boolean' }, out: { type: 'string' } } }).values;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    return 2;
  }
  const folder = options.out ?? fileURLToPath(new URL('../generated/', import.meta.url));
  const files = collectOutputs(KINDS, FILES);
  const difference = compareFolder(folder, files, OWNED_FOLDERS);
  const lines = Object.entries(difference).flatMap(([problem, paths]: [string, readonly string[]]) =>
    paths.map(path => `${problem}: ${path}`),
  );
  if (options.check) {
    if (lines.length === 0) return 0;
    console.error(`${lines.join('\n')}\n${folder} does not match the kind definitions; run: npm run generate`);
    return 1;
  }
  repairFolder(folder, files, difference);
  console.error(`schemas/generated: ${files.size} files, ${lines.length} of them changed`);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
