/** Which callers may call a workflow, what it costs, and what ends it. */
import { afterEach, expect, test } from 'vitest';
import type { Logger } from '#runtime';
import { type BundleOptions, backendPlan, startGateway } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { eventually } from '../../support/process.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { StatelessClient } from './stateless-client.ts';
import { CHAIN, workflow } from './support.ts';

const SLOW = workflow(`
name: slow
description: Takes its time
steps:
  - { id: first, tool: one_echo }
  - { id: long, tool: one_slow, dependsOn: [first] }
  - { id: never, tool: one_echo, dependsOn: [long] }
`);

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function start(more: Partial<BundleOptions> = {}, log?: Logger) {
  const one = await startSdkServer({ transport: 'streamable-http' });
  const two = await startSdkServer({ transport: 'streamable-http' });
  closing.push(
    () => one.close(),
    () => two.close(),
  );
  const options = {
    backends: [backendPlan('one', one.url), backendPlan('two', two.url)],
    workflows: [CHAIN, SLOW],
    ...more,
  };
  const gateway = await startGateway(options, log);
  closing.push(() => gateway.stop());
  await gateway.ready();
  return { gateway, one, two, options };
}

const isCancelled = (backend: SdkServer) => eventually(() => Promise.resolve(backend.cancelled === 1));

test('a workflow run takes one rate limit token of the workflow, and none of the tools of its steps', async () => {
  const bucket = { maxTokens: 2, refillPeriodMs: 3_600_000 };
  const tools = [
    { name: 'chain', shared: bucket, perUser: null },
    { name: 'one_echo', shared: { ...bucket, maxTokens: 1 }, perUser: null },
  ];
  const { gateway } = await start({ rateLimiting: { store: null, shared: null, perUser: null, tools } });
  const client = await gateway.connect();
  const call = async () => (await client.callTool({ name: 'chain', arguments: { text: 'a' } })).isError === true;
  expect([await call(), await call(), await call()]).toEqual([false, false, true]);
  expect((await client.callTool({ name: 'one_echo', arguments: {} })).isError).not.toBe(true);
  const stateless = await new StatelessClient(gateway.url).call('chain', { text: 'a' });
  expect([stateless.status, stateless.error?.code]).toEqual([429, 429]);
});

const ASKING = workflow(`
name: asking
description: Asks, then calls
steps:
  - { id: first, tool: one_echo }
  - { id: ask, type: elicitation, dependsOn: [first], message: "Go on?", schema: { type: object, properties: { name: { type: string } } } }
  - { id: last, tool: two_echo, dependsOn: [ask], arguments: { done: "yes" } }
`);
const AGREED = { ask: { action: 'accept', content: { name: 'a' } } };

test('a workflow run takes one rate limit token, also when a stateless client answers its question in a second request', async () => {
  const tools = [{ name: 'asking', shared: { maxTokens: 1, refillPeriodMs: 3_600_000 }, perUser: null }];
  const rateLimiting = { store: null, shared: null, perUser: null, tools };
  const { gateway } = await start({ workflows: [ASKING], rateLimiting });
  const client = new StatelessClient(gateway.url);
  const { result } = await client.call('asking', {});
  const answers = { requestState: result?.requestState, inputResponses: AGREED };
  expect((await client.call('asking', {}, answers)).result).toMatchObject({ resultType: 'complete' });
  expect((await client.call('asking', {})).status).toBe(429);
});

test('a client in a session cancels a workflow: the backend is notified, and no further step starts', async () => {
  const { gateway, one } = await start();
  const client = await gateway.connect();
  const stop = new AbortController();
  const call = client.callTool({ name: 'slow', arguments: {} }, undefined, { signal: stop.signal });
  await eventually(() => Promise.resolve(one.slowCalls === 1));
  expect((await gateway.status()).workflows?.find(({ name }) => name === 'slow')?.running).toBe(1);
  stop.abort();
  await expect(call).rejects.toThrow();
  await isCancelled(one);
  await eventually(async () => (await gateway.status()).workflows?.every(({ running }) => running === 0) === true);
});

test('a stateless client disconnects from a workflow: the backend is notified, and no further step starts', async () => {
  const { gateway, one } = await start();
  const stop = new AbortController();
  const call = new StatelessClient(gateway.url).call('slow', {}, {}, stop.signal);
  await eventually(() => Promise.resolve(one.slowCalls === 1));
  stop.abort();
  await expect(call).rejects.toThrow();
  await isCancelled(one);
  await eventually(async () => (await gateway.status()).workflows?.every(({ running }) => running === 0) === true);
});

test('the end of a session cancels its workflow runs', async () => {
  const { gateway, one } = await start();
  const client = await gateway.connect();
  const call = client.callTool({ name: 'slow', arguments: {} }).catch(() => 'ended');
  await eventually(() => Promise.resolve(one.slowCalls === 1));
  await (client.transport as unknown as { terminateSession(): Promise<void> }).terminateSession();
  await eventually(async () => (await gateway.status()).workflows?.every(({ running }) => running === 0) === true);
  await client.close();
  await call;
});

test.each([
  ['a workflow', 'timeout: 3s', '', /^Workflow execution timeout exceeded\. /, {}],
  [
    'a step of a workflow',
    '',
    ', timeout: 500ms',
    /^Workflow execution failed: step "long" \(slow\): it took too long\. /,
    { step: 'long', tool: 'slow' },
  ],
])(
  'when %s takes too long, the client learns it and the backend gets a cancellation',
  async (_, whole, own, text, at) => {
    const late = workflow(`
name: late
description: Takes too long
${whole}
steps:
  - { id: first, tool: two_echo }
  - { id: long, tool: one_slow, dependsOn: [first]${own} }
`);
    const { gateway, one } = await start({ workflows: [late] });
    const { result } = await new StatelessClient(gateway.url).call('late', {});
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(text) }],
      structuredContent: {
        workflowFailure: {
          reason: 'timeout',
          ...at,
          steps: [
            { step: 'first', outcome: 'done' },
            { step: 'long', outcome: 'unknown' },
          ],
        },
      },
    });
    await isCancelled(one);
  },
);

test('a workflow run that began before a new bundle ends by its former plan, over backends that the new bundle no longer has', async () => {
  const { gateway, options } = await start({ workflows: [ASKING] });
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const client = new Client({ name: 'a', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => {
    asked.resolve();
    await answer.promise;
    return { action: 'accept', content: { name: 'a' } };
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)) as never);
  closing.push(() => client.close());
  const call = client.callTool({ name: 'asking', arguments: {} });
  await asked.promise;
  const { digest } = (await gateway.status()).bundle;
  await gateway.replace({ backends: options.backends.slice(0, 1) });
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('asking');
  answer.resolve();
  expect(await call).toMatchObject({ structuredContent: { text: '{"done":"yes"}' } });
});

test('a workflow run that waits for a stateless client while a new bundle is loaded ends by its former plan', async () => {
  const { gateway, options } = await start({ workflows: [ASKING] });
  const client = new StatelessClient(gateway.url);
  const { result } = await client.call('asking', {});
  const { digest } = (await gateway.status()).bundle;
  const next = { ...ASKING, steps: ASKING.steps.filter(({ id }) => id !== 'last') };
  await gateway.replace({ ...options, workflows: [next] });
  await eventually(async () => (await gateway.status()).bundle.digest !== digest);
  const answers = { requestState: result?.requestState, inputResponses: AGREED };
  expect((await client.call('asking', {}, answers)).result).toMatchObject({
    structuredContent: { text: '{"done":"yes"}' },
  });
});

test('the log has the reference of a failed workflow run with step, tool and cause, and no text of callers and tools', async () => {
  const failing = workflow(`
name: failing
description: Fails
parameters: { type: object, properties: { secret: { type: string } } }
steps: [{ id: broken, tool: one_fail, arguments: { secret: "{{ .params.secret }}" } }]
`);
  const { log, lines } = listeningLog();
  const { gateway } = await start({ workflows: [failing] }, log);
  const { result } = await new StatelessClient(gateway.url).call('failing', { secret: 'hidden-words' });
  const [, reference] = /Reference: ([0-9a-f-]{36})/.exec(JSON.stringify(result)) ?? [];
  expect(lines.filter(({ run }) => run !== undefined)).toEqual([
    {
      level: 'info',
      msg: 'a workflow failed',
      workflow: 'failing',
      run: reference,
      step: 'broken',
      reason: 'tool_error',
      backend: 'one',
      tool: 'fail',
    },
  ]);
  expect(JSON.stringify([lines, result])).not.toMatch(/hidden-words|it failed/);
});

test('a workflow with the name of a tool is withheld and reported, and other workflows are served', async () => {
  const rival = workflow(`
name: one_echo
description: Has the name of a tool
steps: [{ id: a, tool: two_echo }]
`);
  const lost = workflow(`
name: lost
description: Calls what is not there
steps: [{ id: a, tool: one_nothing }]
`);
  const safe = workflow(`
name: safe
description: Claims too much
annotations: { readOnlyHint: true }
steps: [{ id: a, tool: one_echo }]
`);
  const { gateway } = await start({ workflows: [CHAIN, lost, rival, safe] });
  const names = (await (await gateway.connect()).listTools()).tools.map(({ name }) => name);
  expect([names.includes('chain'), names.includes('lost'), names.includes('safe')]).toEqual([true, false, false]);
  expect(names.filter(name => name === 'one_echo')).toHaveLength(1);
  const { withheld } = await gateway.status();
  expect(withheld.filter(({ backend }) => backend === '')).toEqual([
    {
      kind: 'tools',
      backend: '',
      name: 'lost',
      originalName: 'lost',
      reason: 'unknown_tool',
      detail: 'step "a" calls "one_nothing", which no backend offers',
    },
    expect.objectContaining({ name: 'one_echo', reason: 'collision' }),
    expect.objectContaining({ name: 'safe', reason: 'unsafe_claim' }),
  ]);
});

test('metrics count workflow runs', async () => {
  const { gateway } = await start();
  const client = await gateway.connect();
  await client.callTool({ name: 'chain', arguments: { text: 'a' } });
  const text = await (await fetch(`${gateway.internalUrl}/metrics`)).text();
  expect(text).toMatch(/vmcp_workflow_executions_total\{workflow_name="chain"[^}]*\} 1/);
  expect(text).toMatch(/vmcp_workflow_duration_seconds_count\{workflow_name="chain"[^}]*\} 1/);
});

test('a call of a workflow fails as unavailable, and not as unknown, while a backend of its steps has never answered', async () => {
  const gateway = await startGateway({ backends: [backendPlan('two', 'http://127.0.0.1:9/mcp')], workflows: [CHAIN] });
  closing.push(() => gateway.stop());
  await gateway.ready();
  const client = new StatelessClient(gateway.url);
  expect((await client.call('chain', { text: 'a' })).error).toMatchObject({
    code: -32603,
    message: expect.stringContaining('two'),
  });
  expect((await client.call('no_workflow', {})).error).toMatchObject({ code: -32602 });
});
