/** The circuit breaker of a gateway, with backends that fail, hang and recover. */
import { expect, onTestFinished, test } from 'vitest';
import type { OperationalPlan } from '#schemas';
import { backendPlan, eventually, startGateway, type TestGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { ask } from '../stateless-edge/requests.ts';
import { type BreakingBackend, type Mode, startBreakingBackend } from './breaking-backend.ts';

/** Longer than any test, so that an open circuit stays open. */
const FOREVER_MS = 600_000;
const QUICK_MS = 150;

const operationalOf = (
  failureThreshold: number,
  timeoutMs: number,
  more: Partial<OperationalPlan> = {},
): Partial<OperationalPlan> => ({ circuitBreaker: { failureThreshold, timeoutMs }, ...more });

async function backend(): Promise<BreakingBackend> {
  const started = await startBreakingBackend();
  onTestFinished(() => started.close());
  return started;
}

async function serving(...args: Parameters<typeof startGateway>): Promise<TestGateway> {
  const gateway = await startGateway(...args);
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  return gateway;
}

interface Answer {
  readonly result?: { readonly isError?: boolean };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly reason?: string } };
}

/** For a client of each era, a function that calls `a_x` once. */
const CALLERS: readonly (readonly [era: string, caller: (url: string) => Promise<() => Promise<Answer>>])[] = [
  [
    'session',
    async url => {
      const raw = new RawClient(url);
      await raw.open();
      return async () => JSON.parse((await raw.request('tools/call', { name: 'a_x', arguments: {} })).text) as Answer;
    },
  ],
  [
    'stateless',
    async url => async () => {
      const { text } = await ask(url, { method: 'tools/call', params: { name: 'a_x', arguments: {} } });
      return JSON.parse(text) as Answer;
    },
  ],
];

const circuitOf = async (gateway: TestGateway) => (await gateway.status()).backends.find(({ name }) => name === 'a');

for (const [era, connect] of CALLERS) {
  test.each<Mode>([503, 500, 'down', 'hang', 'rpc-error-503'])(
    `calls of a ${era} client that fail with %s open the circuit of the backend, and the gateway refuses further calls at once`,
    async mode => {
      const a = await backend();
      const gateway = await serving({
        backends: [backendPlan('a', a.url, { timeoutMs: mode === 'hang' ? 2_000 : 60_000 })],
        operational: operationalOf(3, FOREVER_MS),
      });
      const call = await connect(gateway.url);
      expect(await call()).toHaveProperty('result');
      expect(await circuitOf(gateway)).toMatchObject({ circuitBreakerState: 'closed', circuitLastChanged: null });
      a.calls = mode;
      for (const { error } of await Promise.all([call(), call(), call()])) {
        expect(error?.data?.reason).not.toBe('circuit_open');
      }
      const { callCount } = a;
      for (let refused = 0; refused < 5; refused++) {
        expect((await call()).error).toMatchObject({
          code: -32603,
          message: expect.stringMatching(
            /^backend "a": the circuit is open after consecutive failures; the gateway tries the backend again in \d+ s$/,
          ),
          data: { backend: 'a', reason: 'circuit_open' },
        });
      }
      expect(a.callCount, 'no call reaches the backend').toBe(callCount);
      expect(await circuitOf(gateway)).toMatchObject({
        status: 'unavailable',
        circuitBreakerState: 'open',
        circuitLastChanged: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        message: expect.stringContaining('the circuit is open'),
      });
      const { requests } = a;
      const probes = () => requests.filter(({ message }) => message?.method === 'tools/list').length;
      const before = probes();
      // A refused call would trigger a probe, but none runs.
      await call();
      expect(probes()).toBe(before);
    },
  );

  test.each<Mode>(['tool-error', 'rpc-error', 401, 403, 404, 429, 400])(
    `calls of a ${era} client that fail with %s do not open the circuit of the backend`,
    async mode => {
      const a = await backend();
      const gateway = await serving({ backends: [backendPlan('a', a.url)], operational: operationalOf(1, FOREVER_MS) });
      const call = await connect(gateway.url);
      a.calls = mode;
      for (let turn = 0; turn < 3; turn++) await call();
      expect(await circuitOf(gateway)).toMatchObject({ circuitBreakerState: 'closed', circuitLastChanged: null });
      a.calls = 'well';
      expect(await call()).toHaveProperty('result');
    },
  );

  test(`through an open circuit, one request of a ${era} client at a time tests a hanging backend, and the circuit closes when it answers`, async () => {
    const a = await backend();
    const gateway = await serving({
      backends: [backendPlan('a', a.url, { timeoutMs: 100 })],
      operational: operationalOf(2, QUICK_MS, {
        health: { intervalMs: 200, timeoutMs: 100, unhealthyThreshold: 2 },
      }),
    });
    const call = await connect(gateway.url);
    // The time limit is so short that a busy machine may exceed it at first.
    await eventually(async () => (await call()).result !== undefined);
    a.calls = 'hang';
    a.rest = 'hang';
    await eventually(async () => (await circuitOf(gateway))?.circuitBreakerState !== 'closed');
    await eventually(() => a.underWay === 0);
    a.peak = 0;
    const seen = a.requests.length;
    while (a.requests.length < seen + 4) await Promise.all([call(), call(), call(), call()]);
    expect(a.peak).toBe(1);
    a.calls = 'well';
    a.rest = 'well';
    await eventually(async () => (await call()).result !== undefined);
    await eventually(async () => {
      const { status, circuitBreakerState, message } = (await circuitOf(gateway)) ?? {};
      return status === 'ready' && circuitBreakerState === 'closed' && message === '';
    });
  });
}

test('calls that their client cancels do not open the circuit of the backend', async () => {
  const a = await backend();
  const gateway = await serving({ backends: [backendPlan('a', a.url)], operational: operationalOf(1, FOREVER_MS) });
  const raw = new RawClient(gateway.url);
  await raw.open();
  a.calls = 'hang';
  const answered = raw.send({
    jsonrpc: '2.0',
    id: 'gone',
    method: 'tools/call',
    params: { name: 'a_x', arguments: {} },
  });
  await eventually(() => a.callCount === 1);
  await raw.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gone' } });
  await answered;
  expect(await circuitOf(gateway)).toMatchObject({ circuitBreakerState: 'closed', circuitLastChanged: null });
});

test('failed probes open the circuit of a backend, the gateway no longer lists its tools, and other backends work', async () => {
  const [a, b] = [await backend(), await backend()];
  const gateway = await serving({
    backends: [backendPlan('a', a.url), backendPlan('b', b.url)],
    operational: operationalOf(2, FOREVER_MS, {
      health: { intervalMs: 100, timeoutMs: 60_000, unhealthyThreshold: 9 },
    }),
  });
  const raw = new RawClient(gateway.url);
  await raw.open();
  const names = async () =>
    (await raw.result<{ tools: { name: string }[] }>('tools/list')).tools.map(tool => tool.name);
  expect(await names()).toEqual(['a_x', 'b_x']);
  a.rest = 'down';
  await eventually(async () => (await circuitOf(gateway))?.circuitBreakerState === 'open');
  expect(await names()).toEqual(['b_x']);
  expect(await raw.result('tools/call', { name: 'b_x', arguments: {} })).toHaveProperty('content');
  const { length } = a.requests;
  const probesOfB = () => b.requests.filter(({ message }) => message?.method === 'tools/list').length;
  const before = probesOfB();
  await eventually(() => probesOfB() >= before + 3);
  expect(a.requests.length, 'no probe while it is open').toBe(length);
});

test('with partialFailureMode fail, the open circuit of one backend makes requests to all backends fail', async () => {
  const [a, b] = [await backend(), await backend()];
  const gateway = await serving({
    backends: [backendPlan('a', a.url), backendPlan('b', b.url)],
    operational: operationalOf(1, FOREVER_MS, { partialFailure: 'fail' }),
  });
  const raw = new RawClient(gateway.url);
  await raw.open();
  a.calls = 503;
  await raw.request('tools/call', { name: 'a_x', arguments: {} });
  for (const [method, params] of [['tools/list'], ['tools/call', { name: 'b_x', arguments: {} }]] as const) {
    const inSession = JSON.parse((await raw.request(method, params)).text) as Answer;
    const stateless = JSON.parse((await ask(gateway.url, { method, ...(params && { params }) })).text) as Answer;
    for (const { error } of [inSession, stateless]) {
      expect(error).toMatchObject({ code: -32603, message: 'unavailable: "a" (partialFailureMode is fail)' });
    }
  }
  expect(await gateway.status()).toMatchObject({ healthy: false });
});

test('after a new bundle, the circuit of a backend stays as it was if the address is unchanged, and is closed if the address is new', async () => {
  const [a, other] = [await backend(), await backend()];
  const operational = operationalOf(1, FOREVER_MS);
  const gateway = await serving({ backends: [backendPlan('a', a.url)], operational });
  const raw = new RawClient(gateway.url);
  await raw.open();
  a.calls = 503;
  const call = async () => JSON.parse((await raw.request('tools/call', { name: 'a_x', arguments: {} })).text) as Answer;
  await call();
  const opened = await circuitOf(gateway);
  expect(opened?.circuitBreakerState).toBe('open');
  const served = async (digest: string) => eventually(async () => (await gateway.status()).bundle.digest !== digest);

  let { digest } = (await gateway.status()).bundle;
  const asked = a.requests.length;
  // Another configured connection to the same address.
  await gateway.replace({ backends: [backendPlan('a', a.url, { timeoutMs: 4_000 })], operational });
  await served(digest);
  expect(await circuitOf(gateway)).toMatchObject({
    circuitBreakerState: 'open',
    circuitLastChanged: opened?.circuitLastChanged,
  });
  expect((await call()).error?.data?.reason).toBe('circuit_open');
  expect(a.requests.filter(({ method }) => method === 'POST').length, 'nothing is asked').toBe(
    a.requests.slice(0, asked).filter(({ method }) => method === 'POST').length,
  );

  ({ digest } = (await gateway.status()).bundle);
  await gateway.replace({ backends: [backendPlan('a', other.url)], operational });
  await served(digest);
  await eventually(async () => (await call()).result !== undefined);
  expect(await circuitOf(gateway)).toMatchObject({ circuitBreakerState: 'closed', circuitLastChanged: null });

  ({ digest } = (await gateway.status()).bundle);
  await gateway.replace({ backends: [backendPlan('a', other.url)] });
  await served(digest);
  other.calls = 503;
  for (let turn = 0; turn < 3; turn++) expect((await call()).error?.data?.reason).toBe('http_error');
  expect(await circuitOf(gateway)).toMatchObject({ circuitBreakerState: null, circuitLastChanged: null });
});
