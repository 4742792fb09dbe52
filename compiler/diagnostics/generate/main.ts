/**
 * `npm run generate [-- --check]`: compiles the pages of `compiler/diagnostics/codes/` into `generated/codes.ts` and the index `CODES.md`.
 *
 * Exit codes: 0 written, or up to date · 1 `--check` found a difference.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { formatCodesIndex } from './codes-index.ts';
import { formatCodesSource } from './codes-source.ts';
import { readCode } from './read-code.ts';

const folder = new URL('../', import.meta.url);
const pages = readdirSync(new URL('codes/', folder)).sort();
const codes = new Map(pages.map(page => readCode(page, readFileSync(new URL(`codes/${page}`, folder), 'utf8'))));
if (codes.size < pages.length) throw new Error('compiler/diagnostics/codes: two pages are about one code');

const outputs = { 'generated/codes.ts': formatCodesSource(codes), 'CODES.md': formatCodesIndex(codes) };
for (const [path, text] of Object.entries(outputs)) {
  const file = new URL(path, folder);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`compiler/diagnostics/${path} does not match the pages of codes/; run: npm run generate`);
    process.exitCode = 1;
  }
}
