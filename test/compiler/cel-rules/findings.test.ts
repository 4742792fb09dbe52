/** The message and location of the finding for a broken rule. */
import { expect, test } from 'vitest';
import { compile, type Diagnostic, readTexts, SourceText } from '#compiler';

function compiled(text: string) {
  const origin = { compilerVersion: 'test', sourceRevision: null };
  return compile(readTexts([new SourceText('spec.yaml', text)]), { purpose: 'check', origin });
}

const broken = (text: string): readonly Diagnostic[] =>
  compiled(text).findings.diagnostics.filter(({ code }) => code === 'LNT1005');

const place = ({ range: { start, end } }: Diagnostic) => `${start.line}:${start.column}-${end.line}:${end.column}`;

test('a finding about a CEL rule points to the key of the object that breaks the rule, and shows the rule', () => {
  const found = broken(`apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth:
    type: oidc
`);
  expect(
    found.map(({ message, help, pointer, severity, name }) => ({ message, help, pointer, severity, name })),
  ).toEqual([
    {
      message: "incomingAuth.oidcConfigRef is missing: type 'oidc' needs an MCPOIDCConfig to validate tokens with",
      help: "the rule is: self.type != 'oidc' || has(self.oidcConfigRef)",
      pointer: '/spec/incomingAuth',
      severity: 'error',
      name: 'cel-rule-failed',
    },
  ]);
  expect(found.map(place)).toEqual(['6:3-6:15']);
});

test('a finding about a CEL rule of a list item points to the whole item', () => {
  const found = broken(`apiVersion: lintel.dev/v1beta1
kind: MCPServer
metadata: { name: eng }
spec:
  image: example.com/server
  groupRef: { name: tools }
  sessionStorage: { provider: redis, address: 'redis.test:6379' }
  rateLimiting:
    tools:
      - { name: a, shared: { maxTokens: 1, refillPeriod: 1s } }
      - { name: b }
`);
  expect(found.map(each => [place(each), each.pointer, each.message])).toEqual([
    ['11:9-11:20', '/spec/rateLimiting/tools/1', 'this tool has no limit: set shared, perUser or both'],
  ]);
});

test('CEL rules are evaluated with the defaults of the schema', () => {
  const timeout = (written: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  config:
    operational:
      failureHandling:
        circuitBreaker: { enabled: true${written} }
`;
  expect(broken(timeout(''))).toEqual([]);
  expect(broken(timeout(', timeout: 1ms')).map(({ pointer }) => pointer)).toEqual([
    '/spec/config/operational/failureHandling/circuitBreaker',
  ]);
});

test('lintel check skips a CEL rule whose result depends on a field with a structural error', () => {
  const { findings } = compiled(`apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inlined: {} }
`);
  expect(findings.diagnostics.map(({ code }) => code)).toEqual(['LNT1003']);
});

test('the compiler builds no bundle of a gateway that breaks a CEL rule or refers to an object that breaks one, and builds other gateways', () => {
  const gateway = (name: string, auth: string) => `---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: ${name} }
spec:
  groupRef: { name: tools }
  incomingAuth: ${auth}
`;
  const { gateways } = compiled(`apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github }
spec: { remoteUrl: https://github.example.com/mcp, transport: streamable-http, groupRef: { name: tools } }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline }
${gateway('good', '{ type: anonymous }')}
${gateway('refers', '{ type: oidc, oidcConfigRef: { name: corp, audience: a } }')}
${gateway('wrong', '{ type: oidc }')}
`);
  expect(gateways.map(({ object, bundle }) => [object.name, bundle !== null])).toEqual([
    ['good', true],
    ['refers', false],
    ['wrong', false],
  ]);
});
