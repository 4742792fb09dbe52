/** A header has one source: the caller, the backend's own settings, or the credential. */
import { expect, test } from 'vitest';
import { judge, object } from '../../../support/gateway-rule.ts';
import { gateway, gatewayConfig } from '../../../support/rule.ts';

const entry = (forward: string, more = '') =>
  object(
    'MCPServerEntry',
    `{ remoteUrl: https://jira.example.com/mcp, transport: sse, groupRef: { name: tools }, headerForward: ${forward}${more} }`,
    'jira',
  );
const passing = (names: string, more = '') =>
  gateway(`incomingAuth: { type: anonymous }\n  passthroughHeaders: ${names}${more}`);
const injecting = (header: string) =>
  `\n  config: { outgoingAuth: { source: discovered, default: { type: header_injection, headerInjection: { headerName: ${header}, headerValueEnv: KEY } } } }`;
const exchange = object(
  'MCPExternalAuthConfig',
  '{ type: tokenExchange, tokenExchange: { tokenUrl: "https://id.example.com/token", audience: jira } }',
  'auth',
);

test.each<[string, string[], string[]]>([
  [
    'different headers',
    [
      passing('[X-A]', injecting('X-Key')),
      entry('{ addPlaintextHeaders: { X-B: b } }'),
      object(
        'MCPServerEntry',
        '{ remoteUrl: https://x.example.com, transport: sse, groupRef: { name: other }, headerForward: { addPlaintextHeaders: { X-A: a } } }',
        'other',
      ),
      object(
        'MCPRemoteProxy',
        '{ remoteUrl: https://x.example.com, groupRef: { name: tools }, headerForward: { addPlaintextHeaders: { X-A: a } } }',
        'proxy',
      ),
    ],
    [],
  ],
  [
    'a header of callers and of a backend, in different case',
    [
      passing('[X-A, X-B]'),
      entry(
        '{ addPlaintextHeaders: { x-a: secret }, addHeadersFromSecret: [{ headerName: X-b, valueSecretRef: { name: s, key: k } }] }',
      ),
    ],
    [
      'LNT6015 error 7:24 the header "X-A" of callers collides with the header that MCPServerEntry "jira" sets',
      'LNT6015 error 7:29 the header "X-B" of callers collides with the header that MCPServerEntry "jira" sets',
    ],
  ],
  [
    'a header of callers in spec.config and of a backend',
    [gatewayConfig('{ passthroughHeaders: [X-A] }'), entry('{ addPlaintextHeaders: { X-A: a } }')],
    ['LNT6015 error 7:34 the header "X-A" of callers collides with the header that MCPServerEntry "jira" sets'],
  ],
  [
    'a header of callers and of the credential',
    [passing('[x-key]', injecting('X-Key')), entry('{}')],
    ['LNT6015 error 7:24 the header "x-key" of callers collides with the credential for "jira"'],
  ],
  [
    'a header of a backend and of the credential',
    [passing('[]', injecting('X-Key')), entry('{ addPlaintextHeaders: { x-key: a } }')],
    ['LNT6015 error 13:93 the header "x-key" collides with the credential that VirtualMCPServer "it" sends'],
  ],
  [
    'an Authorization header of a backend and an exchanged token',
    [
      passing('[]'),
      entry(
        '{ addHeadersFromSecret: [{ headerName: authorization, valueSecretRef: { name: s, key: k } }] }',
        ', externalAuthConfigRef: { name: auth }',
      ),
      exchange,
    ],
    ['LNT6015 error 12:93 the header "authorization" collides with the credential that VirtualMCPServer "it" sends'],
  ],
])('the rule headerCollisions gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('headerCollisions', objects)).toEqual(expected);
});
