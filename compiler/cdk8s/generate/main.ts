/**
 * `npm run generate [-- --check]`: writes `compiler/cdk8s/generated/objects.ts` from the generated kinds.
 *
 * Exit codes: 0 written, or up to date · 1 `--check` found a difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { API_GROUP } from '#schemas';
import { objectsSource } from './objects-source.ts';

const page = new URL('../generated/objects.ts', import.meta.url);
const text = objectsSource(API_GROUP);
if (process.argv.includes('--check')) {
  if (readFileSync(page, 'utf8') !== text) {
    console.error('compiler/cdk8s/generated/objects.ts does not match the kinds; run: npm run generate');
    process.exitCode = 1;
  }
} else {
  writeFileSync(page, text);
}
