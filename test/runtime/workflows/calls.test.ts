/** Calls to workflows by clients of every kind, over backends of both kinds. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SESSION_REVISIONS } from '../../../runtime/mcp/protocol-revisions.ts';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { CLIENTS } from '../bridging/matrix-clients.ts';
import { StatelessClient } from './stateless-client.ts';
import { CHAIN, workflow } from './support.ts';

let one: SdkServer;
let two: SdkServer;
let gateway: TestGateway;

const FAILING = workflow(`
name: failing
description: Fails in the middle
steps:
  - { id: before, tool: one_echo, arguments: { secret: hidden-words } }
  - { id: broken, tool: two_fail, dependsOn: [before] }
  - { id: after, tool: one_echo, dependsOn: [broken] }
`);

const FANNED = workflow(`
name: fanned
description: Calls once for each
parameters: { type: object, properties: { items: { type: array } } }
steps:
  - id: each
    type: forEach
    collection: "{{ json .params.items }}"
    maxParallel: 3
    step: { id: one, tool: two_echo, arguments: { item: "{{ .forEach.item }}", at: "{{ .forEach.index }}" } }
output:
  properties:
    count: { type: integer, description: How many, value: "{{ .steps.each.output.completed }}" }
`);

const UNBUILT = workflow(`
name: unbuilt
description: Cannot build its output
steps:
  - { id: look, tool: one_echo, arguments: { secret: hidden-words } }
output:
  properties:
    report:
      type: object
      description: What was found
      properties: { count: { type: integer, description: How many, value: "{{ .steps.look.output.text }}" } }
`);

beforeAll(async () => {
  [one, two] = await Promise.all([startSdkServer({ transport: 'streamable-http' }), startStatelessServer()]);
  gateway = await startGateway({
    backends: [backendPlan('one', one.url), backendPlan('two', two.url)],
    workflows: [CHAIN, FAILING, FANNED, UNBUILT],
  });
  await gateway.ready();
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([one, two].map(server => server.close()));
});

describe.each(CLIENTS)('client %s', (_kind, connect) => {
  async function connected() {
    const client = await connect(gateway.url, 'ann');
    onTestFinished(() => client.close());
    return client;
  }

  test('a client lists workflows among the tools', async () => {
    expect(await (await connected()).listTools()).toEqual(expect.arrayContaining(['one_echo', 'chain', 'fanned']));
  });

  test('a client gets the output of a workflow, and steps get arguments in their types', async () => {
    const result = await (await connected()).callTool('chain', { text: 'hello' });
    expect(result.isError).toBe(false);
    expect(JSON.parse(result.text)).toEqual({ heard: { heard: 'hello', fixed: [1, 2] }, count: 3 });
  });

  test('a client gets the progress of a workflow', async () => {
    const seen: number[] = [];
    await (await connected()).callTool('chain', { text: 'hello' }, progress => seen.push(progress));
    expect(seen).toEqual([1, 2]);
  });

  test('a client learns which property of the output of a workflow cannot be built', async () => {
    const result = await (await connected()).callTool('unbuilt', {});
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(
      /^Workflow execution failed: the output "report\.count" could not be built\. Steps done: "look"\./,
    );
    expect(result.text).not.toContain('hidden-words');
  });

  test('a client learns which steps were done when a workflow fails in the middle', async () => {
    const result = await (await connected()).callTool('failing', {});
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(
      /^Workflow execution failed: step "broken" \(fail\): the tool reported a failure\. Steps done: "before"; failed: "broken"; not started: "after"\. Reference: [0-9a-f-]{36}$/,
    );
    expect(result.text).not.toContain('hidden-words');
  });

  test('a client calls a workflow with a repeated step', async () => {
    const items = Array.from({ length: 25 }, (_, at) => at);
    const result = await (await connected()).callTool('fanned', { items });
    expect(JSON.parse(result.text)).toEqual({ count: 25 });
  });

  test('a workflow call without a required argument is refused', async () => {
    const client = await connected();
    const refusal = await client.callTool('chain', {}).catch((error: { code?: unknown }) => error.code);
    expect(refusal).toBe(-32602);
  });
});

test('a client in a session gets with the progress of a workflow the number of steps and the id of the step that ended', async () => {
  const client = await gateway.connect();
  const seen: unknown[] = [];
  const onprogress = (progress: unknown) => void seen.push(progress);
  await client.callTool({ name: 'chain', arguments: { text: 'hello' } }, undefined, { onprogress });
  expect(seen).toEqual([
    { progress: 1, total: 2, message: 'first' },
    { progress: 2, total: 2, message: 'second' },
  ]);
});

test('a client gets no progress of a workflow without a progress token', async () => {
  const { result, progress } = await new StatelessClient(gateway.url).call('chain', { text: 'hello' });
  expect([result?.resultType, progress]).toEqual(['complete', []]);
});

test.each(SESSION_REVISIONS)('a client of revision %s lists and calls a workflow', async revision => {
  const headers: Record<string, string> = {};
  const request = async (method: string, params: object) => {
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    headers['mcp-session-id'] ??= response.headers.get('mcp-session-id') ?? '';
    const text = await response.text();
    return JSON.parse(text.startsWith('{') ? text : (text.match(/^data: (\{.*)/m)?.[1] ?? '')).result;
  };
  const clientInfo = { name: 'test', version: '1' };
  const begun = await request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo });
  expect(begun.protocolVersion).toBe(revision);
  headers['mcp-protocol-version'] = revision;
  const { tools } = await request('tools/list', {});
  expect(tools).toContainEqual(expect.objectContaining({ name: 'chain', inputSchema: CHAIN.parameters }));
  const { content, isError } = await request('tools/call', { name: 'chain', arguments: { text: 'hello' } });
  expect([isError ?? false, JSON.parse(content[0].text)]).toEqual([
    false,
    { heard: { heard: 'hello', fixed: [1, 2] }, count: 3 },
  ]);
});
