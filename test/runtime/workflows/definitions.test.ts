/** How clients see workflows, and that results satisfy the declared schemas, which SDK clients validate. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { servesWorkflows, workflow } from './support.ts';

const tool = (name: string, annotations: object) => ({ name, annotations });

const REPORT = workflow(`
name: report
description: Reads twice
parameters:
  type: object
  required: [text]
  properties: { text: { type: string, description: What to read }, count: { type: integer, default: 3 } }
annotations: { title: The report, idempotentHint: true }
steps:
  - { id: one, tool: b_reads }
  - { id: two, tool: b_far, dependsOn: [one] }
output:
  properties:
    sum: { type: integer, description: The sum, value: "{{ .params.count }}" }
    of: { type: object, description: Its parts, properties: { text: { type: string, description: One, value: "{{ .params.text }}" } } }
  required: [sum]
`);

const FAILING = workflow(`
name: failing
description: Fails
annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
steps: [{ id: bad, tool: b_fail }]
output: { properties: { sum: { type: integer, description: The sum, value: "1" } }, required: [sum] }
`);

let backend: SdkServer;
let gateway: TestGateway;

beforeAll(async () => {
  const tools = [
    tool('reads', { readOnlyHint: true, openWorldHint: false }),
    tool('far', { readOnlyHint: true, openWorldHint: true }),
  ];
  backend = await startSdkServer({ transport: 'streamable-http', tools });
  gateway = await startGateway({ backends: [backendPlan('b', backend.url)], workflows: [REPORT, FAILING] });
  await servesWorkflows(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await backend.close();
});

test('a workflow has its parameters as input schema, its output as output schema, and the hints of all its steps', async () => {
  const client = await gateway.connect();
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'report')).toEqual({
    name: 'report',
    description: 'Reads twice',
    inputSchema: REPORT.parameters,
    outputSchema: {
      type: 'object',
      properties: {
        sum: { type: 'integer', description: 'The sum' },
        of: { type: 'object', description: 'Its parts', properties: { text: { type: 'string', description: 'One' } } },
        workflowFailure: expect.objectContaining({ type: 'object' }),
      },
      anyOf: [{ required: ['sum'] }, { required: ['workflowFailure'] }],
    },
    annotations: {
      title: 'The report',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  });
  // Nothing is known of the other one's tool, so the hints in the spec apply.
  expect(tools.find(({ name }) => name === 'failing')?.annotations).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
});

test.each([
  ['of SDK v1', () => gateway.connect()],
  [
    'of SDK v2',
    async () => {
      const client = new ClientV2({ name: 'a', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new TransportV2(new URL(gateway.url)));
      return client;
    },
  ],
])(
  'a client %s that validates outputs accepts the output of a workflow, and of a failed workflow',
  async (_, connect) => {
    const client = (await connect()) as Awaited<ReturnType<TestGateway['connect']>>;
    onTestFinished(() => client.close());
    // After the list, a client has the schemas.
    await client.listTools();
    expect(await client.callTool({ name: 'report', arguments: { text: 'x' } })).toMatchObject({
      structuredContent: { sum: 3, of: { text: 'x' } },
      content: [{ type: 'text', text: '{"of":{"text":"x"},"sum":3}' }],
    });
    expect(await client.callTool({ name: 'failing', arguments: {} })).toMatchObject({
      isError: true,
      structuredContent: { workflowFailure: { workflow: 'failing', reason: 'tool_error', step: 'bad', tool: 'fail' } },
    });
  },
);
