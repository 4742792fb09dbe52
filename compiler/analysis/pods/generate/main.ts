/**
 * `npm run generate [-- --check]`: writes `compiler/analysis/pods/generated/schema.json` from the pinned part of Kubernetes' OpenAPI
 * document.
 *
 * Exit codes: 0 written or up to date · 1 `--check` found a difference.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Definitions } from './pod-definitions.ts';
import { buildPodSchemas } from './pod-schema.ts';

const pinned = JSON.parse(readFileSync(new URL('published.json', import.meta.url), 'utf8')) as {
  readonly version: string;
  readonly definitions: Definitions;
};
const file = new URL('../generated/schema.json', import.meta.url);
const text = `${JSON.stringify(buildPodSchemas(pinned.version, pinned.definitions), null, 1)}\n`;
if (process.argv.includes('--check')) {
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error('compiler/analysis/pods/generated/schema.json does not match published.json; run: npm run generate');
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, text);
}
