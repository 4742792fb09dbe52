/** A call through `call_tool` is a call like any other: progress, elicitation, cancellation, workflows. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { OptimizerPlan } from '#schemas';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { type StatelessServer, startStatelessServer } from '../../support/stateless-server.ts';
import { CLIENTS, type MatrixClient, saidBy } from '../bridging/matrix-clients.ts';
import { StatelessClient } from '../workflows/stateless-client.ts';
import { servesWorkflows, workflow } from '../workflows/support.ts';

const PLAN: OptimizerPlan = { maxTools: 3, semanticRatio: 0, distanceThreshold: 1 };

const RELEASE = workflow(`
name: release
description: Looks, asks and publishes a version
parameters: { type: object, properties: { version: { type: string } } }
steps:
  - { id: look, tool: stateless_echo, arguments: { version: "{{ .params.version }}" } }
  - id: ask
    type: elicitation
    dependsOn: [look]
    message: "Release {{ .params.version }}?"
    schema: { type: object, properties: { name: { type: string } } }
  - { id: publish, tool: session_echo, dependsOn: [ask], arguments: { by: "{{ .steps.ask.output.content.name }}" } }
`);

const SLOW = workflow(`
name: slow
description: Takes its time
steps:
  - { id: long, tool: session_slow }
  - { id: never, tool: session_echo, dependsOn: [long] }
`);

let session: SdkServer;
let stateless: StatelessServer;
let gateway: TestGateway;

beforeAll(async () => {
  [session, stateless] = await Promise.all([startSdkServer({ transport: 'streamable-http' }), startStatelessServer()]);
  gateway = await startGateway({
    backends: [backendPlan('session', session.url), backendPlan('stateless', stateless.url)],
    workflows: [RELEASE, SLOW],
    optimizer: PLAN,
  });
  await gateway.ready();
  await servesWorkflows(gateway);
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([session, stateless].map(server => server.close()));
});

/** Calls a tool like a model that has read its definition. */
const through = (
  client: MatrixClient,
  tool_name: string,
  parameters: object = {},
  onProgress?: (progress: number) => void,
  signal?: AbortSignal,
) => client.callTool('call_tool', { tool_name, parameters }, onProgress, signal);

describe.each(CLIENTS)('client %s', (kind, connect) => {
  async function connected() {
    const client = await connect(gateway.url, 'ann');
    onTestFinished(() => client.close());
    return client;
  }

  describe.each(['session', 'stateless'])('backend "%s"', backend => {
    test('a client gets the progress of a tool that it calls through call_tool', async () => {
      const seen: number[] = [];
      const result = await through(await connected(), `${backend}_progress`, {}, n => void seen.push(n));
      expect([result.text, seen]).toEqual(['done', [1, 2, 3]]);
    });

    test('a client answers the question of a tool that it calls through call_tool', async () => {
      const { text, isError } = await through(await connected(), `${backend}_elicit`);
      expect(isError).toBe(false);
      expect(text).toContain(`"${saidBy('ann', 'Name?')}"`);
    });

    // The raw client cannot cancel.
    test.skipIf(kind === 'raw')('a client cancels a call through call_tool, and the backend is notified', async () => {
      const server = backend === 'session' ? session : stateless;
      const { slowCalls, cancelled } = server;
      const stop = new AbortController();
      const call = through(await connected(), `${backend}_slow`, {}, undefined, stop.signal);
      const outcome = expect(call).rejects.toThrow();
      await eventually(async () => server.slowCalls > slowCalls);
      stop.abort();
      await outcome;
      await eventually(async () => server.cancelled > cancelled);
    });
  });

  test('a client finds a workflow with find_tool, and through call_tool answers a question of the workflow and gets the progress of its steps', async () => {
    const client = await connected();
    const found = await client.callTool('find_tool', { tool_description: 'publish a version' });
    expect(JSON.parse(found.text).tools[0]).toMatchObject({
      name: 'release',
      inputSchema: { properties: { version: { type: 'string' } } },
    });
    const seen: number[] = [];
    const { text, isError } = await through(client, 'release', { version: '1.2' }, n => void seen.push(n));
    expect([isError, JSON.parse(JSON.parse(text).text)]).toEqual([false, { by: 'ann heard Release 1.2?' }]);
    expect(seen.at(-1)).toBe(3);
  });

  test.skipIf(kind === 'raw')('a workflow that a client cancels through call_tool starts no further step', async () => {
    const { slowCalls, cancelled } = session;
    const stop = new AbortController();
    const call = through(await connected(), 'slow', {}, undefined, stop.signal);
    const outcome = expect(call).rejects.toThrow();
    await eventually(async () => session.slowCalls > slowCalls);
    stop.abort();
    await outcome;
    await eventually(async () => session.cancelled > cancelled);
    await eventually(async () => (await gateway.status()).workflows?.every(({ running }) => running === 0) === true);
  });
});

describe('a client without a session', () => {
  const call = (tool_name: string, parameters: object, more?: object) =>
    new StatelessClient(gateway.url).call('call_tool', { tool_name, parameters }, more);

  test.each([
    ['a tool', 'session_elicit', 'Name?'],
    ['a workflow', 'release', 'Release 2?'],
  ])(
    'through call_tool, a stateless client can answer a question of %s only with the tool and the parameters of the call that asked it',
    async (_, name, message) => {
      const parameters = { version: '2' };
      const { result } = await call(name, parameters);
      expect(result).toMatchObject({ resultType: 'input_required' });
      const [[key = '', question] = []] = Object.entries(result?.inputRequests ?? {});
      expect(question).toMatchObject({ method: 'elicitation/create', params: { message } });
      const answers = {
        requestState: result?.requestState,
        inputResponses: { [key]: { action: 'accept', content: { name: 'bo' } } },
      };
      const others = [await call('session_echo', parameters, answers), await call(name, { version: '3' }, answers)];
      expect(others.map(({ error }) => error?.code)).toEqual([-32602, -32602]);
      const { result: last } = await call(name, parameters, answers);
      expect(last).toMatchObject({ resultType: 'complete' });
      expect(JSON.stringify(last)).toMatch('bo');
    },
  );

  test('a stateless backend gets a call through call_tool under the name of the tool, also in the headers', async () => {
    await call('stateless_echo', { a: 1 });
    const sent = stateless.requests.findLast(({ method }) => method === 'tools/call');
    expect(sent?.headers).toMatchObject({ 'mcp-method': 'tools/call', 'mcp-name': 'echo' });
    expect(JSON.parse(sent?.body ?? '').params).toMatchObject({ name: 'echo', arguments: { a: 1 } });
    expect(sent?.body).not.toContain('call_tool');
  });
});
