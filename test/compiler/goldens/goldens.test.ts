import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { compile, findFiles, readSources, renderJson } from '#compiler';
import { createCatalog } from '../../support/gateway-rule.ts';
import { expectGolden } from '../../support/golden.ts';

const CASES = join(import.meta.dirname, 'cases');

describe('whole specs', () => {
  test.each(readdirSync(CASES).sort())(
    'lintel build of the golden input %s gives the expected findings and bundles',
    name => {
      const folder = join(CASES, name);
      const { files } = findFiles(['input'], { cwd: folder });
      const sources = readSources(files, () => new Uint8Array());
      const origin = { compilerVersion: '0.0.0', sourceRevision: null };
      const options = { purpose: 'build', origin, catalog: catalogIn(folder) } as const;
      const { gateways, registries, findings, checked } = compile(sources, options);
      const output = new Map([
        [
          'diagnostics.json',
          renderJson(findings, { ...checked, notChecked: [] }, { name: 'lintel', version: '0.0.0' }),
        ],
      ]);
      for (const { object, bundle } of [...gateways, ...registries]) {
        if (bundle !== null)
          output.set(`${object.namespace}.${object.name}.json`, `${JSON.stringify(bundle, null, 2)}\n`);
      }
      for (const { object, files } of registries) {
        for (const { path, text } of files)
          output.set(`${object.namespace}.${object.name}.${path.replaceAll('/', '.')}`, text);
      }
      expectGolden(join(folder, 'expected'), output);
    },
  );
});

/** What backends offer, when a case says so. */
function catalogIn(folder: string) {
  const file = join(folder, 'catalog.json');
  return existsSync(file) ? createCatalog(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}
