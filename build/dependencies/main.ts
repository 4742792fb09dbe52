/** `npm run generate`: writes the page about dependencies; with `--check` says whether it is stale. */
import { readFile, writeFile } from 'node:fs/promises';
import { dependenciesPage, PAGE } from './page.ts';

const text = dependenciesPage();
if (!process.argv.includes('--check')) await writeFile(PAGE, text);
else if ((await readFile(PAGE, 'utf8').catch(() => '')) !== text) {
  process.stderr.write(`${PAGE} is stale: npm run generate\n`);
  process.exitCode = 1;
}
