import { expect, test } from 'vitest';
import type { Diagnostic } from '#compiler';
import { secretsOfSeveralGateways } from '../../../../compiler/rules/gateway/secrets-of-several-gateways.ts';
import { listSentSecrets } from '../../../../compiler/rules/support/sent-secrets.ts';
import { models, object } from '../../../support/gateway-rule.ts';

/** Objects of a gateway and its own backend, which has the gateway's name. */
function tenant(name: string, fields: string, host = `${name}.example.com`): string[] {
  return [
    object(
      'VirtualMCPServer',
      `\n  groupRef: { name: ${name} }\n  incomingAuth: { type: anonymous }\n  ${fields}`,
      name,
    ),
    object('MCPGroup', '{}', name),
    object('MCPServerEntry', `{ groupRef: { name: ${name} }, remoteUrl: "https://${host}", transport: sse }`, name),
  ];
}

const variable = (env: string, pod = '') =>
  `${pod}config: { outgoingAuth: { source: inline, default: { type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: ${env} } } } }`;
const from = (secret: string) =>
  `podTemplateSpec: { spec: { containers: [{ name: vmcp, env: [{ name: KEY, valueFrom: { secretKeyRef: { name: ${secret}, key: all } } }] }] } }\n  `;
const referring = 'outgoingAuth: { default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: shared } } }';
const shared = object(
  'MCPExternalAuthConfig',
  '{ type: headerInjection, headerInjection: { headerName: X-Key, valueSecretRef: { name: keys, key: all } } }',
  'shared',
);

function found(objects: readonly string[]): Diagnostic[] {
  return secretsOfSeveralGateways(models(objects).flatMap(listSentSecrets));
}

const IN_ALL = (what: string) =>
  `${what} is sent to one.example.com by VirtualMCPServer "one", to two.example.com by VirtualMCPServer "two": each host can use it to call the others`;

test.each<[string, string[], string[]]>([
  ['two gateways with different secrets', [...tenant('one', variable('A')), ...tenant('two', variable('B'))], []],
  [
    'two gateways with one secret for the same host',
    [...tenant('one', referring, 'a.example.com'), ...tenant('two', referring, 'a.example.com'), shared],
    [],
  ],
  [
    'one Secret by one MCPExternalAuthConfig',
    [...tenant('two', referring), ...tenant('one', referring), shared],
    [`LNT6018 warning 25:90 ${IN_ALL('key "all" of Secret "keys"')}`],
  ],
  [
    'one Secret behind variables of different names',
    [...tenant('one', variable('KEY', from('keys'))), ...tenant('two', referring), shared],
    [`LNT6018 warning 8:54 ${IN_ALL('key "all" of Secret "keys"')}`],
  ],
  [
    'variables of one name from two Secrets',
    [...tenant('one', variable('KEY', from('a'))), ...tenant('two', variable('KEY', from('b')))],
    [],
  ],
  [
    'variables of one name from unknown Secrets',
    [...tenant('one', variable('KEY')), ...tenant('two', variable('KEY'))],
    [`LNT6018 hint 7:54 ${IN_ALL('the variable "KEY"')}`],
  ],
])('the rule secretsOfSeveralGateways gives the expected findings for: %s', (_, objects, expected) => {
  const texts = found(objects).map(
    ({ code, severity, range: { start }, message }) => `${code} ${severity} ${start.line}:${start.column} ${message}`,
  );
  expect(texts).toEqual(expected);
});

test('LNT6018 about a secret of one gateway refers to the place where another gateway sends the same secret', () => {
  const [{ related = [] } = {}] = found([...tenant('one', referring), ...tenant('two', referring), shared]);
  expect(related.map(({ message, range }) => `${range.start.line} ${message}`)).toEqual([
    '25 the same secret, sent by VirtualMCPServer "two"',
  ]);
});

test('LNT6018 does not say that two gateways send a secret to two hosts if one of the gateways sends it to both hosts', () => {
  const both = [
    object(
      'MCPServerEntry',
      '{ groupRef: { name: one }, remoteUrl: "https://two.example.com", transport: sse }',
      'more',
    ),
  ];
  expect(found([...tenant('one', referring), ...both, ...tenant('two', referring), shared])).toEqual([]);
});

test('the rule secretsOfSeveralGateways gives no finding about Secrets of the same name in two namespaces', () => {
  const elsewhere = [...tenant('two', referring), shared].map(text => text.replace('name:', 'namespace: else, name:'));
  expect(found([...tenant('one', referring), shared, ...elsewhere])).toEqual([]);
});
