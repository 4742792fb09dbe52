/** Servers that are local commands (stdio): which of their settings the compiler refuses, and which it writes into the bundle. */
import { expect, test } from 'vitest';
import { judge as judgeGateway } from '../../support/gateway-rule.ts';
import { gateway, judge, object } from '../../support/rule.ts';

test.each<[what: string, spec: string, codes: string[]]>([
  [
    'a command without an image',
    '{ command: npx, args: [a], env: [{ name: A, value: b }], process: { shared: true } }',
    [],
  ],
  ['an image with settings of its proxy', '{ image: i, audit: { enabled: true } }', []],
  [
    'a command with settings of a proxy',
    '{ command: npx, audit: { enabled: true }, toolConfigRef: { name: t } }',
    [
      'LNT6022 error 4:30 audit is a setting of a proxy in a cluster, and a command runs without a proxy: the field would have no effect',
      'LNT6022 error 4:64 toolConfigRef is a setting of a proxy in a cluster, and a command runs without a proxy: the field would have no effect',
    ],
  ],
])('the rule settingOfAProxy gives the expected findings for: %s', (_what, spec, codes) => {
  expect(judge('settingOfAProxy', object('MCPServer', spec))).toEqual(codes);
});

test('the rule settingOfAProxy reports an MCPServer with a command if its API group is that of ToolHive', () => {
  const foreign = object('MCPServer', '{ command: npx }').replace('lintel.dev/', 'toolhive.stacklok.dev/');
  expect(judge('settingOfAProxy', foreign)).toEqual([
    'LNT6022 error 4:18 an MCPServer of toolhive.stacklok.dev runs an image, not a command: its own operator refuses this object',
  ]);
});

const SOURCES = [
  object('MCPGroup', '{}', 'tools'),
  object('MCPServer', '{ groupRef: { name: tools }, command: npx }', 'files'),
  gateway('incomingAuth: { type: anonymous }'),
];

test('an MCPServer with a command gives LNT6021 if the target of the compilation is pods', () => {
  const [finding, ...more] = judgeGateway('programInPod', SOURCES, {}, { target: 'pods' });
  expect(finding).toMatch(/^LNT6021 error .*"files" is a command of this machine, and nothing runs it in a cluster/);
  expect(more).toEqual([]);
  expect(judgeGateway('programInPod', SOURCES)).toEqual([]);
});
