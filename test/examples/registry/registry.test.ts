/** The registry server example has no findings, and its README is correct. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runLintel } from '../../support/lintel.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';

const CONFIG = readFileSync(join(ROOT, 'examples/registry/registry.yaml'), 'utf8');

test('`lintel check` prints for the registry example the output in its README', async () => {
  const checked = await runLintel(['check', 'examples/registry', '--fail-on', 'hint']);
  expect(checked).toEqual({ code: 0, stdout: 'no findings in 1 file (1 object checked)\n', stderr: '' });
});

test('`lintel build` writes for the registry example the files in its README', async () => {
  await using folder = await temporaryFolder();
  const out = folder.file('out');
  expect(await runLintel(['build', 'examples/registry', '--out', out])).toMatchObject({ code: 0 });
  const index = JSON.parse(await readFile(join(out, 'index.json'), 'utf8')) as { bundles: { path: string }[] };
  expect(index.bundles).toMatchObject([{ kind: 'registry', namespace: 'default', name: 'company' }]);
  const bundle = await readFile(join(out, index.bundles[0]?.path ?? '', 'bundle.json'), 'utf8');
  expect(JSON.parse(bundle)).toMatchObject({
    kind: 'registry',
    publicPaths: ['/.well-known', '/browse', '/openapi.json', '/openapi.yaml', '/registry/open'],
  });
});

test('`lintel explain` prints for a registry field the output in the README of the registry example', async () => {
  const { code, stdout } = await runLintel(['explain', 'RegistryConfig.auth.oauth']);
  expect([code, stdout.split('\n')[1]]).toEqual([0, 'PATH:      RegistryConfig.auth.oauth']);
});

test('the configuration of the registry example is valid by the editor schema that its first line names', () => {
  const [, path = ''] = /\$schema=(\S+)/.exec(CONFIG) ?? [];
  const schema = JSON.parse(readFileSync(join(ROOT, 'examples/registry', path), 'utf8')) as object;
  const validate = new Ajv2020({ allErrors: true }).compile(schema);
  validate(parse(CONFIG));
  expect(validate.errors).toBeNull();
});
