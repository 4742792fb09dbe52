import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { compile, findFiles, readSources, renderJson } from '#compiler';
import { expectGolden } from '../../support/golden.ts';

const CASES = join(import.meta.dirname, 'cases');

describe('whole specs', () => {
  test.each(readdirSync(CASES).sort())('%s', name => {
    const folder = join(CASES, name);
    const { files } = findFiles(['input'], { cwd: folder });
    const sources = readSources(files, () => new Uint8Array());
    const origin = { compilerVersion: '0.0.0', sourceRevision: null };
    const { gateways, registries, findings, checked } = compile(sources, { purpose: 'build', origin });
    const output = new Map([['diagnostics.json', renderJson(findings, checked, { name: 'lintel', version: '0.0.0' })]]);
    for (const { object, bundle } of [...gateways, ...registries]) {
      if (bundle !== null)
        output.set(`${object.namespace}.${object.name}.json`, `${JSON.stringify(bundle, null, 2)}\n`);
    }
    expectGolden(join(folder, 'expected'), output);
  });
});
