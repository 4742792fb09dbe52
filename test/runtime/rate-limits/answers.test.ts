/** What callers get at a limit, in each revision, and what operators see. */
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import type { RateLimitPlan, TokenBucketPlan } from '../../../schemas/index.ts';
import { statelessCall, statelessHead } from '../../bench/gateway/calls.ts';
import { type BundleOptions, backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { listeningLog } from '../../support/log-lines.ts';
import { withPeers } from '../../support/peers.ts';
import { eventually } from '../../support/process.ts';
import { readPrometheus } from '../../support/prometheus.ts';
import { RawClient } from '../../support/raw-client.ts';
import { RedisServer, redisPlan } from '../../support/redis-server.ts';
import { startSdkServer } from '../../support/sdk-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { cedarPlan } from '../authorization/plans.ts';
import { startGuarded } from '../edge-auth/guarded-gateway.ts';
import { bearer, type FakeToken } from '../edge-auth/tokens.ts';

const HOUR_MS = 3_600_000;
const bucket = (maxTokens: number, refillPeriodMs = HOUR_MS): TokenBucketPlan => ({ maxTokens, refillPeriodMs });
const NO_LIMITS: RateLimitPlan = { store: null, shared: null, perUser: null, tools: [] };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startBackends(): Promise<BundleOptions> {
  const [sessions, stateless] = await Promise.all([
    startSdkServer({ transport: 'streamable-http', tools: [{ name: 'search' }, { name: 'read' }] }),
    startStatelessServer(),
  ]);
  closing.push(
    () => sessions.close(),
    () => stateless.close(),
  );
  return { backends: [backendPlan('s', sessions.url), backendPlan('m', stateless.url)] };
}

async function start(rateLimiting: RateLimitPlan | undefined, log = listeningLog().log) {
  const options = await startBackends();
  const limited = (plan: RateLimitPlan | undefined) => ({ ...options, ...(plan && { rateLimiting: plan }) });
  const gateway = await startGateway(limited(rateLimiting), log);
  closing.push(() => gateway.stop());
  await gateway.ready();
  return { gateway, replace: (plan: RateLimitPlan | undefined) => gateway.replace(limited(plan)) };
}

async function callStateless({ url }: Pick<TestGateway, 'url'>, tool: string) {
  const own = statelessHead(tool).trimEnd().split('\r\n');
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...Object.fromEntries(own.map(line => line.split(': ') as [string, string])),
    },
    body: statelessCall(tool),
  });
  const text = await response.text();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
}

/** Whether a call in a session was accepted. */
const goesThrough = async (client: Awaited<ReturnType<TestGateway['connect']>>, name: string) =>
  (await client.callTool({ name, arguments: {} })).isError !== true;

const REJECTED = {
  isError: true,
  content: [{ type: 'text', text: 'Rate limit exceeded: try again in 1800 seconds' }],
  structuredContent: { code: 429, message: 'Rate limit exceeded', data: { retryAfterSeconds: 1800 } },
};

describe('a call above a rate limit', () => {
  test('a call above a rate limit gets an error result of the tool in a session', async () => {
    const { gateway } = await start({ ...NO_LIMITS, shared: bucket(2) });
    const client = await gateway.connect();
    expect([await goesThrough(client, 's_search'), await goesThrough(client, 's_read')]).toEqual([true, true]);
    expect(await client.callTool({ name: 's_search', arguments: {} })).toEqual(REJECTED);
    expect((await client.listTools()).tools.length, 'only calls are limited').toBeGreaterThan(2);
    const task = { method: 'tools/call' as const, params: { name: 's_search', arguments: {}, task: {} } };
    await expect(client.request(task, CallToolResultSchema), 'who wants a task gets an error').rejects.toMatchObject({
      code: 429,
      data: { retryAfterSeconds: 1800 },
    });
  });

  test.each(['s_search', 'm_echo'])('a stateless call above a rate limit gets HTTP 429: %s', async tool => {
    const { gateway } = await start({ ...NO_LIMITS, shared: bucket(2) });
    for (let call = 0; call < 2; call++) expect(await callStateless(gateway, tool)).toMatchObject({ status: 200 });
    const { status, retryAfter, text } = await callStateless(gateway, tool);
    expect([status, retryAfter]).toEqual([429, '1800']);
    expect(JSON.parse(text)).toEqual({
      jsonrpc: '2.0',
      id: 1000000,
      error: { code: 429, message: 'Rate limit exceeded', data: { retryAfterSeconds: 1800 } },
    });
  });

  test('a call above a rate limit gets a retry time of at least a second', async () => {
    const { gateway } = await start({
      ...NO_LIMITS,
      tools: [{ name: 's_read', shared: bucket(1, 10), perUser: null }],
    });
    const client = await gateway.connect();
    let rejected: unknown;
    await eventually(async () => {
      const results = await Promise.all([1, 2, 3, 4].map(() => client.callTool({ name: 's_read', arguments: {} })));
      rejected = results.find(({ isError }) => isError === true)?.structuredContent;
      return rejected !== undefined;
    });
    expect(rejected).toMatchObject({ data: { retryAfterSeconds: 1 } });
  });

  test('neither a call above the rate limit of its tool nor a call of an unknown tool takes a token of the shared rate limit', async () => {
    const tools = [{ name: 's_read', shared: bucket(1), perUser: null }];
    const { gateway } = await start({ ...NO_LIMITS, shared: bucket(3), tools });
    const client = await gateway.connect();
    await expect(client.callTool({ name: 's_nothing', arguments: {} })).rejects.toMatchObject({ code: -32602 });
    const calls = ['s_read', 's_read', 's_read', 's_search', 's_search', 's_search'];
    const through = [];
    for (const name of calls) through.push(await goesThrough(client, name));
    expect(through).toEqual([true, false, false, true, true, false]);
    expect((await gateway.status()).rateLimiting).toEqual({
      store: 'memory',
      limits: [
        { scope: 'shared', tool: null, maxTokens: 3, refillPeriodMs: HOUR_MS, rejected: 1 },
        { scope: 'shared', tool: 's_read', maxTokens: 1, refillPeriodMs: HOUR_MS, rejected: 2 },
      ],
      allowed: 3,
      rejected: 3,
      failOpen: { active: false, calls: 0, reason: null },
      buckets: { kept: 2, forgotten: 0 },
    });
  });
});

test('a new bundle does not refill the buckets of unchanged rate limits, and a bundle without rate limits ends the limits', async () => {
  const { gateway, replace } = await start({ ...NO_LIMITS, shared: bucket(1) });
  const client = await gateway.connect();
  expect([await goesThrough(client, 's_read'), await goesThrough(client, 's_read')]).toEqual([true, false]);
  const limitCount = async () => (await gateway.status()).rateLimiting?.limits.length;
  await replace({ ...NO_LIMITS, shared: bucket(1), tools: [{ name: 's_search', shared: bucket(1), perUser: null }] });
  await eventually(async () => (await limitCount()) === 2);
  expect(await goesThrough(client, 's_read'), 'still without a token').toBe(false);
  await replace(undefined);
  await eventually(async () => (await limitCount()) === undefined);
  expect(await goesThrough(client, 's_read')).toBe(true);
});

test('each caller has buckets of its own for rate limits, by issuer and subject', async () => {
  const { backends } = await startBackends();
  const policies = cedarPlan(['permit(principal, action, resource);']);
  const { url, gateway } = await startGuarded(backends, policies);
  const rateLimiting = {
    ...NO_LIMITS,
    perUser: bucket(2),
    tools: [{ name: 's_read', shared: null, perUser: bucket(1) }],
  };
  (await gateway.limits.prepare({ namespace: 'default', name: 'test', rateLimiting })).use();
  const open = async (token: FakeToken) => {
    const client = new RawClient(url, bearer(token).slice('Bearer '.length));
    await client.open();
    return async (name: string) =>
      (await client.result<{ isError?: boolean }>('tools/call', { name, arguments: {} })).isError !== true;
  };
  const ann = await open({ sub: 'ann' });
  expect([await ann('s_read'), await ann('s_read'), await ann('s_search'), await ann('s_search')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  const sameAnn = await open({ sub: 'ann' });
  expect(await sameAnn('s_search'), 'another session of hers').toBe(false);
  const ben = await open({ sub: 'ben' });
  expect(await ben('s_read')).toBe(true);
  const otherAnn = await open({ sub: 'ann', iss: 'https://another-idp.example' });
  expect(await otherAnn('s_read'), 'the same subject of another issuer').toBe(true);
  expect(gateway.limits.status()?.limits.map(({ scope, tool, rejected }) => [scope, tool, rejected])).toEqual([
    ['per_user', null, 2],
    ['per_user', 's_read', 1],
  ]);
});

withPeers('redis-server').describe('limits in Redis', () => {
  const inRedis = (address: string): RateLimitPlan => {
    const timeouts = { dialMs: 5_000, readMs: 500, writeMs: 500 };
    return {
      ...NO_LIMITS,
      store: { redis: redisPlan({ addresses: [address], timeouts }), keyPrefix: '' },
      shared: bucket(2),
    };
  };

  test('replicas share rate limits in Redis, and let calls through while Redis is unavailable, which /status shows', async () => {
    await using redis = await RedisServer.start();
    const { log, lines } = listeningLog();
    const { gateway } = await start(inRedis(redis.address), log);
    const { gateway: other } = await start(inRedis(redis.address));
    const [client, atOther] = [await gateway.connect(), await other.connect()];
    expect([await goesThrough(client, 's_read'), await goesThrough(atOther, 's_read')]).toEqual([true, true]);
    expect(await client.callTool({ name: 's_read', arguments: {} })).toEqual(REJECTED);
    expect(await callStateless(other, 's_read')).toMatchObject({ status: 429, retryAfter: '1800' });
    await redis.kill();
    expect(await goesThrough(client, 's_read'), 'without Redis').toBe(true);
    expect(await callStateless(gateway, 's_read')).toMatchObject({ status: 200 });
    const { rateLimiting } = await gateway.status();
    expect(rateLimiting).toMatchObject({ store: 'redis', failOpen: { active: true, calls: 2 }, buckets: null });
    expect(rateLimiting?.failOpen.reason).toContain(`Redis at ${redis.address}: `);
    const page = readPrometheus(await (await fetch(`${gateway.internalUrl}/metrics`)).text());
    const counted = (name: string) => page.get(`lintel_rate_limit_${name}_total`)?.samples;
    expect(counted('fail_open')?.map(({ value }) => value)).toEqual([2]);
    expect(counted('redis_errors')?.find(({ labels }) => labels.error_type === 'connection')?.value).toBeGreaterThan(0);
    const warnings = lines.filter(({ msg }) => msg.startsWith('calls are let through without a limit'));
    expect(warnings.map(({ level }) => level)).toEqual(['warn']);
    await redis.up();
    await eventually(
      async () =>
        (await gateway.status()).rateLimiting?.failOpen.active === false ||
        goesThrough(client, 's_read').then(() => false),
    );
    expect(lines.some(({ msg }) => msg.startsWith('calls are limited again'))).toBe(true);
  });

  test('rate limits let calls through while Redis does not answer, and apply again afterwards', async () => {
    await using redis = await RedisServer.start();
    const { log, lines } = listeningLog();
    const { gateway } = await start(inRedis(redis.address), log);
    const client = await gateway.connect();
    expect(await goesThrough(client, 's_read')).toBe(true);
    redis.hang();
    // More calls than tokens, some concurrent: they wait for Redis together, up to its time limit.
    const together = ['s_read', 's_search', 's_read', 's_search'].map(tool => goesThrough(client, tool));
    const stateless = ['s_read', 'm_echo'].map(tool => callStateless(gateway, tool));
    expect(await Promise.all(together)).toEqual([true, true, true, true]);
    expect((await Promise.all(stateless)).map(({ status }) => status)).toEqual([200, 200]);
    const { rateLimiting } = await gateway.status();
    expect(rateLimiting).toMatchObject({ allowed: 1, rejected: 0, failOpen: { active: true, calls: 6 } });
    expect(rateLimiting?.failOpen.reason).toContain(`Redis at ${redis.address}: `);
    const warnings = () => lines.filter(({ msg }) => msg.startsWith('calls are let through without a limit'));
    expect(
      warnings().map(({ level }) => level),
      'once, not for each call',
    ).toEqual(['warn']);
    // Its connection is closed by then, so further calls do not wait for it.
    await eventually(() =>
      lines.some(
        ({ msg }) =>
          msg.startsWith(`Redis at ${redis.address}: `) &&
          msg.endsWith('the connection is tried again until Redis answers'),
      ),
    );
    for (let call = 0; call < 20; call++) expect(await goesThrough(client, 's_read')).toBe(true);
    expect((await gateway.status()).rateLimiting).toMatchObject({ failOpen: { active: true, calls: 26 } });
    expect(warnings()).toHaveLength(1);
    redis.goOn();
    await eventually(async () => (await client.callTool({ name: 's_read', arguments: {} })).isError === true);
    expect(lines.some(({ msg }) => msg.startsWith('calls are limited again'))).toBe(true);
    expect((await gateway.status()).rateLimiting).toMatchObject({ failOpen: { active: false } });
  });

  test('a gateway does not start without its Redis for rate limits, and refuses a new bundle whose Redis cannot be reached', async () => {
    await using redis = await RedisServer.start({ settings: ['requirepass right'], password: 'right' });
    await expect(start(inRedis(redis.address))).rejects.toThrow(
      /bundle\.json: rateLimiting: Redis at \S+: the server refuses the user or its password/,
    );
    const { gateway, replace } = await start({ ...NO_LIMITS, shared: bucket(2) });
    await replace(inRedis(redis.address));
    await eventually(async () => (await gateway.status()).bundle.refused !== null);
    expect((await gateway.status()).bundle.refused).toContain(
      `rateLimiting: Redis at ${redis.address}: the server refuses the user`,
    );
    expect((await gateway.status()).rateLimiting?.store).toBe('memory');
  });
});
