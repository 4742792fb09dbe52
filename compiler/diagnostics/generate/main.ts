/**
 * `npm run generate [-- --check]`: compiles the pages of `compiler/diagnostics/codes/` into `generated/codes.ts`, the index `CODES.md`, the table of
 * mistakes with constructs, and the list of all codes that were ever used.
 *
 * Exit codes: 0 written, or up to date · 1 `--check` found a difference.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatCodesIndex } from './codes-index.ts';
import { formatCodesSource } from './codes-source.ts';
import { formatMistakesTable } from './mistakes-table.ts';
import { formatPinnedCodes } from './pinned-codes.ts';
import { readCode } from './read-code.ts';

const folder = new URL('../', import.meta.url);
const PINS = '../../test/pins/diagnostic-codes.json';
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
const names = readdirSync(new URL('codes/', folder)).sort();
const pages = names.map(page => readCode(page, read(`codes/${page}`)));
const codes = new Map(pages.map(([code, entry]) => [code, entry]));
if (codes.size < pages.length) throw new Error('compiler/diagnostics/codes: two pages are about one code');

const outputs = {
  'generated/codes.ts': formatCodesSource(codes),
  'CODES.md': formatCodesIndex(codes),
  '../cdk8s/MISTAKES.md': formatMistakesTable(pages),
  [PINS]: formatPinnedCodes(read(PINS), pages),
};
for (const [path, text] of Object.entries(outputs)) {
  const file = new URL(path, folder);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`${join('compiler/diagnostics', path)} does not match the pages of codes/; run: npm run generate`);
    process.exitCode = 1;
  }
}
