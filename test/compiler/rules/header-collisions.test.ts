/** A passthrough header is not one that a backend sets itself. */
import { expect, test } from 'vitest';
import { headerCollisions } from '../../../compiler/rules/header-collisions.ts';
import { gateway, gatewayConfig, judge, object } from '../../support/rule.ts';

const entry = (forward: string) =>
  object(
    'MCPServerEntry',
    `{ remoteUrl: https://jira.example.com/mcp, transport: sse, groupRef: { name: tools }, headerForward: ${forward} }`,
    'jira',
  );
const passing = (names: string) => gateway(`incomingAuth: { type: anonymous }\n  passthroughHeaders: ${names}`);

test.each<[string, string[], string[]]>([
  [
    'different names, another group, and a proxy that adds its own',
    [
      passing('[X-A]'),
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
    'the same name, whatever its case',
    [
      passing('[X-A, X-B]'),
      entry(
        '{ addPlaintextHeaders: { x-a: secret }, addHeadersFromSecret: [{ headerName: X-b, valueSecretRef: { name: s, key: k } }] }',
      ),
    ],
    [
      'LNT6015 error 7:24 the header "X-A" of callers collides with the one that MCPServerEntry "jira" sets',
      'LNT6015 error 7:29 the header "X-B" of callers collides with the one that MCPServerEntry "jira" sets',
    ],
  ],
  [
    'from config; what takes precedence decides',
    [gatewayConfig('{ passthroughHeaders: [X-A] }'), entry('{ addPlaintextHeaders: { X-A: a } }')],
    ['LNT6015 error 7:34 the header "X-A" of callers collides with the one that MCPServerEntry "jira" sets'],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(headerCollisions, ...objects)).toEqual(expected);
});
