/** LNT2004 names each Secret that is not in the sources once, however many of its keys are used. */
import { expect, test } from 'vitest';
import { compiledYaml } from '../../support/compiled-yaml.ts';

const server = (name: string, keys: readonly (readonly [secret: string, key: string])[]) => `
apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: ${name} }
spec:
  groupRef: { name: tools }
  transport: stdio
  command: server
  secrets:
${keys.map(([secret, key]) => `    - { name: ${secret}, key: ${key}, targetEnvName: ${key} }`).join('\n')}
`;

test('each Secret that an object uses and that the sources lack gives one LNT2004, however many of its keys the object uses', () => {
  const text = [
    'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: tools }\n',
    server('a', [
      ['a-env', 'ONE'],
      ['shared', 'TWO'],
      ['a-env', 'THREE'],
      ['a-env', 'FOUR'],
    ]),
    server('b', [['shared', 'TWO']]),
  ].join('---\n');
  const found = compiledYaml(text).findings.diagnostics.filter(({ code }) => code === 'LNT2004');
  expect(found.map(({ object, subject, pointer }) => [object?.name, subject, pointer])).toEqual([
    ['a', 'Secret "a-env"', '/spec/secrets/0/name'],
    ['a', 'Secret "shared"', '/spec/secrets/1/name'],
    ['b', 'Secret "shared"', '/spec/secrets/0/name'],
  ]);
});
