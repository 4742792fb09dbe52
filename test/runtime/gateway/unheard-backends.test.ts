/** Names of a backend that has been unavailable since the gateway started: the gateway does not know them, but some can only be that backend's. */
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { BackendPlan } from '#schemas';
import { type BundleOptions, backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { listenOnOwnPort } from '../../support/own-port.ts';
import { RawClient } from '../../support/raw-client.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { type SdkServer, startSdkServer } from '../../support/sdk-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { ask } from '../stateless-edge/requests.ts';

let up: SdkServer;
beforeAll(async () => {
  up = await startSdkServer({ transport: 'streamable-http' });
});
afterAll(() => up.close());

/** A port without a listener until the test opens one. */
async function freePort(): Promise<number> {
  const server = createServer();
  await listenOnOwnPort(server);
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

async function served(tools: Partial<BackendPlan['tools']>, options: Partial<BundleOptions> = {}, url?: string) {
  const port = await freePort();
  const plan = { prefix: 'down_', advertise: { type: 'all' as const }, overrides: {}, ...tools };
  const down = backendPlan('down', url ?? `http://127.0.0.1:${port}/mcp`, { tools: plan });
  const gateway = await startGateway({ backends: [down, backendPlan('up', up.url)], ...options });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return { gateway, port };
}

interface Outcome {
  readonly status: number;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

type Send = (gateway: TestGateway, method: string, name: string) => Promise<Outcome>;

const inSession: Send = async ({ url }, method, name) => {
  const raw = new RawClient(url);
  await raw.open();
  const { status, text } = await raw.request(method, { name });
  return { status, error: JSON.parse(text).error };
};

const withoutSession: Send = async ({ url }, method, name) => {
  const { status, text } = await ask(url, { method, params: { name } });
  return { status, error: JSON.parse(text).error };
};

const AWAY = {
  status: 200,
  error: { code: -32603, data: { backend: 'down', reason: 'connection_failed' } },
};
const only = (...names: string[]) => ({ advertise: { type: 'only' as const, names } });

describe.each([
  ['in a session', inSession, 200],
  ['without a session', withoutSession, 400],
])('a client %s', (_, send, badRequest) => {
  const unknown = { status: badRequest, error: { code: -32602 } };

  test.each<[string, string, string, Partial<BackendPlan['tools']>, 'away' | 'unknown']>([
    ['a tool under its prefix', 'tools/call', 'down_x', {}, 'away'],
    ['a tool that the backend advertises', 'tools/call', 'down_x', only('x'), 'away'],
    ['a tool that the backend does not advertise', 'tools/call', 'down_x', only('y'), 'unknown'],
    [
      'a tool of a backend that advertises no tools',
      'tools/call',
      'down_x',
      { advertise: { type: 'none' } },
      'unknown',
    ],
    ['a prompt of a backend that advertises other tools', 'prompts/get', 'down_x', only('y'), 'away'],
    ['a tool with the prefix of another backend', 'tools/call', 'up_x', {}, 'unknown'],
    ['a tool without a prefix', 'tools/call', 'dow', {}, 'unknown'],
    ['a tool of a backend without a prefix', 'tools/call', 'x', { prefix: '' }, 'away'],
  ])(
    'the error names a backend that has not answered since the start only if the requested name may be one of its names: %s',
    async (_case, method, name, tools, expected) => {
      const { gateway } = await served(tools);
      expect(await send(gateway, method, name)).toMatchObject(expected === 'away' ? AWAY : unknown);
    },
  );

  test.each(['manual', 'priority'] as const)(
    'with strategy %s, a name is unknown while a backend has not answered, since the name does not show which backend has it',
    async strategy => {
      const { gateway } = await served({}, { aggregation: { strategy, priorityOrder: ['up'] } });
      expect(await send(gateway, 'tools/call', 'down_x')).toMatchObject(unknown);
    },
  );

  test('a client that may not use a name does not learn that the backend of this name has not answered since the start', async () => {
    const authorization = cedarPlan(['permit(principal, action == Action::"call_tool", resource == Tool::"down_x");']);
    const { gateway } = await served({}, { authorization });
    expect(await send(gateway, 'tools/call', 'down_x')).toMatchObject(AWAY);
    expect(await send(gateway, 'tools/call', 'down_y')).toMatchObject(unknown);
  });

  test('a call succeeds as soon as its backend answers for the first time since the start of the gateway', async () => {
    const { gateway, port } = await served({});
    expect(await send(gateway, 'tools/call', 'down_echo')).toMatchObject(AWAY);
    const server = await startSdkServer({ transport: 'streamable-http', port });
    onTestFinished(() => server.close());
    await eventually(async () => (await send(gateway, 'tools/call', 'down_echo')).error === undefined);
    expect(await send(gateway, 'tools/call', 'down_x')).toMatchObject(unknown);
    await server.close();
    // Its items are known now, whether it is available or not.
    expect(await send(gateway, 'tools/call', 'down_x')).toMatchObject(unknown);
  });
});

test('the error for a backend that accepts requests and never answers has the reason timeout', async () => {
  const mute = await startRawServer(() => {});
  onTestFinished(() => mute.close());
  const { gateway } = await served({}, { firstListWaitMs: 500 }, `${mute.origin}/mcp`);
  expect(await inSession(gateway, 'tools/call', 'down_x')).toMatchObject({
    error: {
      code: -32603,
      message: 'backend "down" is unavailable',
      data: { backend: 'down', reason: 'timeout' },
    },
  });
});
