/** `npm run generate`: writes alert rules and dashboard; with `--check` says whether they are stale. */
import { readFile, writeFile } from 'node:fs/promises';
import { rulesFile } from './alerts.ts';
import { dashboardFile } from './dashboard.ts';

const files = [
  ['docs/monitoring/alerts.yaml', rulesFile()],
  ['docs/monitoring/dashboard.json', dashboardFile()],
] as const;

for (const [path, text] of files) {
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${path} is stale: npm run generate\n`);
    process.exitCode = 1;
  }
}
