/** Workflows of a spec, inline and by reference, from the spec to a client. */
import { expect, onTestFinished, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { servesWorkflows } from './support.ts';

const SPECS = `apiVersion: lintel.dev/v1beta1
kind: MCPGroup
metadata: { name: g }
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPCompositeToolDefinition
metadata: { name: shared }
spec:
  name: referenced
  description: Is referenced
  steps: [{ id: one, tool: b.echo, arguments: { from: reference } }]
---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: gw }
spec:
  groupRef: { name: g }
  incomingAuth: { type: anonymous }
  outgoingAuth: { source: inline }
  config:
    backends: [{ name: b, url: "https://b.example.com/mcp", transport: streamable-http }]
    compositeToolRefs: [{ name: shared }]
    compositeTools:
      - name: inline
        description: Is inline
        steps: [{ id: one, tool: b_echo, arguments: { from: gateway } }]
`;

test('a gateway serves the workflows in its spec and those that its spec references', async () => {
  const { gateways, findings } = compile(readTexts([new SourceText('spec.yaml', SPECS)]), {
    purpose: 'build',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
  const { workflows } = gateways[0]?.bundle ?? {};
  if (workflows === undefined) throw new Error(findings.diagnostics.map(({ message }) => message).join('\n'));
  const backend = await startStatelessServer();
  onTestFinished(() => backend.close());
  await using gateway = await startGateway({ backends: [backendPlan('b', backend.url)], workflows });
  await servesWorkflows(gateway);
  const client = await gateway.connect();
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['inline', 'referenced', 'b_echo']));
  for (const [name, from] of [
    ['inline', 'gateway'],
    ['referenced', 'reference'],
  ] as const) {
    expect(await client.callTool({ name, arguments: {} })).toMatchObject({
      structuredContent: { text: JSON.stringify({ from }) },
    });
  }
});
