import { expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';

/** Two gateways: one with a feature that this version does not support, and one with policies that are only in the cluster. */
const SPEC = `
apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: g }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: searching }
spec:
  groupRef: { name: g }
  incomingAuth: { type: anonymous }
  config: { codeMode: { enabled: true } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: closed }
spec:
  groupRef: { name: g }
  incomingAuth: { type: anonymous, authzConfig: { type: configMap, configMap: { name: policies } } }
`;

test.each(['language', 'check', 'build'] as const)(
  'a compilation with the purpose %s builds no bundle for a gateway if a part of its spec is missing or not supported',
  purpose => {
    const sources = readTexts([new SourceText('a.yaml', SPEC)]);
    const { gateways, findings } = compile(sources, {
      purpose,
      origin: { compilerVersion: '0.0.0', sourceRevision: null },
    });
    const refused = findings.diagnostics.filter(({ code }) => ['LNT1009', 'LNT2010'].includes(code));
    expect(refused.map(({ object }) => object?.name).sort()).toEqual(['closed', 'searching']);
    expect(gateways.map(({ object, bundle }) => [object.name, bundle])).toEqual([
      ['closed', null],
      ['searching', null],
    ]);
  },
);

test('a missing ConfigMap that a bundle needs gives LNT2010, and no second finding that lintel could not verify the ConfigMap', () => {
  const sources = readTexts([new SourceText('a.yaml', SPEC)]);
  const { findings } = compile(sources, {
    purpose: 'check',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  const about = findings.all.filter(({ message }) => message.startsWith('ConfigMap "policies"'));
  expect(about.map(({ code }) => code)).toEqual(['LNT2010']);
});
