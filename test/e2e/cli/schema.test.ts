import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { CLEAN, WITH_ERROR } from '../specs.ts';

test.each([
  ['json', ['all.json', 'mcpgroup.json', 'registryconfig.json', 'virtualmcpserver.json']],
  ['crd', ['lintel.dev_mcpgroups.yaml', 'lintel.dev_virtualmcpservers.yaml']],
  ['reference', ['REFERENCE.md']],
])('`lintel schema %s` writes its files and prints their names', async (part, expected) => {
  await using folder = await temporaryFolder();
  const { code, stdout, stderr } = await runLintel(['schema', part, '--out', 'deep/out'], {
    cwd: folder.path,
  });
  expect([code, stderr]).toEqual([0, '']);
  const written = (await readdir(folder.file('deep/out'))).sort();
  expect(written).toEqual(expect.arrayContaining(expected));
  expect(stdout).toBe(written.map(name => `deep/out/${name}\n`).join(''));
});

test('`lintel schema` exits with code 2 if it cannot write to the folder', async () => {
  await using folder = await temporaryFolder({ file: '' });
  const { code, stderr } = await runLintel(['schema', 'json', '--out', 'file'], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toBe(
    'lintel: cannot write to file: file is a file, not a folder; give another path, or move it away\n',
  );
});

test('the JSON schema that `lintel schema json` writes validates a YAML file as editors do', async () => {
  await using folder = await temporaryFolder();
  await runLintel(['schema', 'json', '--out', 'schemas'], { cwd: folder.path });
  const pointer = '# yaml-language-server: $schema=../schemas/virtualmcpserver.json\n';
  const findings = async (text: string) => {
    await folder.write({ 'specs/gateway.yaml': `${pointer}${text}` });
    const file = folder.file('specs/gateway.yaml');
    const written = await readFile(file, 'utf8');
    const [, path = ''] = /\$schema=(\S+)/.exec(written) ?? [];
    const schema = JSON.parse(await readFile(resolve(file, '..', path), 'utf8')) as object;
    const ajv = new Ajv2020({ allErrors: true });
    formats.default(ajv, ['int32', 'int64', 'date-time']);
    const validate = ajv.compile(schema);
    validate(parse(written));
    return (validate.errors ?? []).map(error => `${error.instancePath} ${error.keyword}`);
  };
  expect(await findings(CLEAN['gateway.yaml'] ?? '')).toEqual([]);
  expect(await findings(WITH_ERROR['gateway.yaml'] ?? '')).toContain(
    '/spec/config/aggregation/conflictResolution enum',
  );
});
