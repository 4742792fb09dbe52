/** `lintel check` reports how many rules could not run because of errors: they may give more findings once the errors are corrected. */
import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { formatClosing } from '../../../compiler/diagnostics/render/summary.ts';

const GROUP = 'apiVersion: lintel.dev/v1beta1\nkind: MCPGroup\nmetadata: { name: tools }\n';
const gateway = (name: string, spec: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: ${name} }
spec: ${spec}
`;
const ENTRY = `apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: git }
spec: { remoteUrl: https://git.example.com/mcp, transport: sse, groupRef: { name: tools } }
`;

function compiled(...documents: readonly string[]) {
  const sources = readTexts([new SourceText('specs.yaml', documents.join('---\n'))]);
  return compile(sources, { purpose: 'check', origin: { compilerVersion: 'test', sourceRevision: null } });
}

const SOUND = gateway('eng', '{ groupRef: { name: tools }, incomingAuth: { type: anonymous } }');

test('lintel check of specs without errors skips no rule', () => {
  const { checked, findings } = compiled(GROUP, ENTRY, SOUND);
  expect(checked.open).toEqual({ objects: 0, rules: 0, gateways: 0 });
  expect(formatClosing(findings, checked)).not.toContain('not checked because');
});

test('lintel check counts the rules and gateways that it skips because of a wrong value', () => {
  const broken = gateway('eng', '{ groupRef: { name: tools }, incomingAuth: { type: anonymos } }');
  const { checked, findings } = compiled(GROUP, ENTRY, broken);
  const { objects = 0, rules = 0, gateways } = checked.open ?? {};
  expect([objects, gateways]).toEqual([1, 1]);
  expect(rules).toBeGreaterThan(3);
  expect(formatClosing(findings, checked).split('\n')[1]).toBe(
    `not checked because of these errors: ${rules} rules about 1 object, and 1 gateway as a whole; there may be more findings once the errors are fixed`,
  );
});

test('if no rule reads a wrong value of a gateway, lintel check skips only the check of the gateway as a whole', () => {
  const { checked, findings } = compiled(
    GROUP,
    ENTRY,
    gateway(
      'eng',
      '{ groupRef: { name: tools }, incomingAuth: { type: anonymous }, config: { aggregation: { conflictResolution: prefics } } }',
    ),
  );
  expect(checked.open).toEqual({ objects: 0, rules: 0, gateways: 1 });
  expect(formatClosing(findings, checked)).toContain(
    '\nnot checked because of these errors: 1 gateway as a whole; there may be more',
  );
});

test('lintel check counts all rules as skipped for an object without a readable spec', () => {
  const shapeless = 'apiVersion: lintel.dev/v1beta1\nkind: MCPServerEntry\nmetadata: { name: a }\nspec: []\n';
  const { objects, rules, gateways } = compiled(GROUP, ENTRY, SOUND, shapeless).checked.open ?? {};
  // It may be a member of any group.
  expect([objects, gateways]).toEqual([1, 1]);
  expect(rules).toBeGreaterThan(50);
});
