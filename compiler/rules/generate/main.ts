/**
 * `npm run generate [-- --check]`: compiles the comments of the rules into the lists of rules, `generated/rules.ts`, and with `elsewhere.md` into
 * `COVERAGE.md`.
 *
 * Exit codes: 0 written, or up to date · 1 `--check` found a difference.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { formatCoverage } from './coverage.ts';
import { readRule } from './read-rule.ts';
import { formatRulesSource } from './rules-source.ts';

const folder = new URL('../', import.meta.url);
const tests = new URL('../../../test/compiler/', import.meta.url);
/** The files in the folders of rules that are not rules. */
const OTHERS = ['index.ts', 'rule.ts', 'run-rules.ts', 'areas.ts'];

const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');
const rules = ['', 'gateway/', 'registry/']
  .flatMap(part =>
    readdirSync(new URL(part, folder))
      .filter(name => name.endsWith('.ts') && !OTHERS.includes(name))
      .sort()
      .map(name => part + name),
  )
  .map(file => readRule(file, read(file)));

const outputs = {
  'generated/rules.ts': formatRulesSource(rules),
  'COVERAGE.md': formatCoverage(read('elsewhere.md'), rules, test => existsSync(new URL(`${test}.test.ts`, tests))),
};
for (const [path, text] of Object.entries(outputs)) {
  const file = new URL(path, folder);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`compiler/rules/${path} does not match the comments of the rules; run: npm run generate`);
    process.exitCode = 1;
  }
}
