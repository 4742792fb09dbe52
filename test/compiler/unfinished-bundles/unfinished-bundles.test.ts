import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';

const SPEC = `
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: g }
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: issuer }
spec: { type: inline, inline: { issuer: https://id.example.com } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: closed }
spec:
  groupRef: { name: g }
  incomingAuth: { type: oidc, oidcConfigRef: { name: issuer, audience: closed } }
`;

test.each(['check', 'build'] as const)('%s makes no bundle that leaves out what its spec asks for', purpose => {
  const sources = readTexts([new SourceText('a.yaml', SPEC)]);
  const { gateways, findings } = compile(sources, {
    purpose,
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  expect(findings.diagnostics.map(({ code }) => code)).toContain('LNT1009');
  expect(gateways.map(({ object, bundle }) => [object.name, bundle])).toEqual([['closed', null]]);
});
