/** Which annotations of a workload a bundle contains. */
import { expect, test } from 'vitest';
import { compiledYaml } from '../../support/compiled-yaml.ts';

const SPECS = (annotations: object) => `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: tools }
---
apiVersion: lintel.dev/v1beta1
kind: MCPServerEntry
metadata: { name: github, annotations: ${JSON.stringify(annotations)} }
spec: { remoteUrl: "https://github.example.com/mcp", transport: streamable-http, groupRef: { name: tools } }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec: { groupRef: { name: tools }, incomingAuth: { type: anonymous } }
`;

test.each([
  ['of the author', { 'acme.example/team': 'web' }, { 'acme.example/team': 'web' }],
  ['of kubectl', { 'kubectl.kubernetes.io/last-applied-configuration': '{}' }, {}],
  ['of suppressions', { 'lintel.dev/ignore.LNT2004': 'known (owner: @platform)' }, {}],
  ['of escape hatches', { 'lintel.dev/escape-hatches': '["/spec/remoteUrl"]' }, {}],
])(
  'the bundle has those annotations of a workload as metadata that its author chose, not those for tools: annotations %s',
  (_, annotations, kept) => {
    const [gateway] = compiledYaml(SPECS(annotations), 'build').gateways;
    const [backend] = (gateway?.bundle as { backends: { metadata: object }[] } | null)?.backends ?? [];
    expect(backend?.metadata).toEqual({
      ...kept,
      group: 'tools',
      namespace: 'default',
      remote_url: 'https://github.example.com/mcp',
      tool_type: 'mcp',
      workload_type: 'server_entry',
    });
  },
);
