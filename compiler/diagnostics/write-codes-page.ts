/** Writes CODES.md beside this file; with --check it only says, by exit code 1, whether the page is stale. */
import { readFileSync, writeFileSync } from 'node:fs';
import { codesPage } from './codes-page.ts';

const path = new URL('./CODES.md', import.meta.url);

if (process.argv.includes('--check')) {
  if (currentPage() !== codesPage()) {
    console.error('compiler/diagnostics/CODES.md is stale: run node compiler/diagnostics/write-codes-page.ts');
    process.exitCode = 1;
  }
} else {
  writeFileSync(path, codesPage());
}

function currentPage(): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
