import { expect, test } from 'vitest';
import { compileConfig, compileFiles, formatFindings } from './compiling.ts';

const CONFIG = `sources: [{ name: a, file: { path: /x } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;

test.each([
  ['registry.yaml', 'registry'],
  ['deploy/prod/Company_Registry.v2.yml', 'company-registry-v2'],
  ['a.json.yaml', 'a-json'],
  ['<stdin>', 'registry'],
  ['---.yaml', 'registry'],
  [`${'a'.repeat(80)}.yaml`, 'a'.repeat(63)],
])('a registry server configured by the file %s has the name %s', (file, name) => {
  const { registries } = compileConfig(CONFIG, file);
  expect(registries.map(({ object, bundle }) => [object.namespace, object.name, bundle?.name])).toEqual([
    ['default', name, name],
  ]);
});

test('registryName names a registry server in place of the name of its configuration file', () => {
  expect(compileConfig(`registryName: company\n${CONFIG}`).registries[0]?.object.name).toBe('company');
});

test('for two registry servers with the same name, the compiler gives LNT2006 and builds neither of the two', () => {
  const compiled = compileFiles({ 'dev/registry.yaml': CONFIG, 'prod/registry.yaml': CONFIG });
  expect(formatFindings(compiled)).toEqual([
    'LNT2006 1:1-1:43 two registry servers are called "registry" (give one of them another registryName)',
  ]);
  expect(compiled.registries.map(({ bundle }) => bundle)).toEqual([null, null]);
  const named = { 'dev/registry.yaml': CONFIG, 'prod/registry.yaml': `registryName: prod\n${CONFIG}` };
  expect(compileFiles(named).registries.map(({ bundle }) => bundle?.name)).toEqual(['prod', 'registry']);
});

test('a registry configuration file and an MCPRegistry with the same name give LNT2006', () => {
  const server = `apiVersion: lintel.dev/v1beta1
kind: MCPRegistry
metadata: { name: registry }
spec:
  configYAML: |
${CONFIG.replace(/^(?=.)/gm, '    ')}`;
  expect(formatFindings(compileFiles({ 'registry.yaml': CONFIG, 'server.yaml': server }))).toEqual([
    'LNT2006 1:1-1:43 two registry servers are called "registry" (give one of them another registryName)',
  ]);
});
