/** A subscription ends when its client ends it, whatever is listed by then; one that the backend refused never existed. */
import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, type RawRequest, sendJson, startRawServer } from '../../support/raw-server.ts';
import { open as openStream } from '../client-edge/fake-gateway.ts';

const JOB = 'x://job/1';
const REFUSED = 'x://secret';
const STAYS = 'x://stays';
const CAPABILITIES = { resources: { subscribe: true, listChanged: true } };
const SERVER = { name: 'x', version: '1' };
const LIST_CHANGED = '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

type Wire = 'streamable-http' | 'sse' | 'stateless';

/** A backend with three resources, which accepts subscriptions to two of them. */
async function startBackend(wire: Wire) {
  const streams = new Map<string, ServerResponse>();
  const state = { listed: [JOB, REFUSED, STAYS] };
  /** Subscriptions and unsubscriptions that it received; a stateless client sends its whole set each time. */
  const told: string[] = [];
  let made = 0;
  const server = await startRawServer((request, response) => {
    const { method, message } = request;
    const session = sessionOf(request);
    if (method === 'GET') {
      const key = wire === 'sse' ? `/messages?stream=${++made}` : session;
      streams.set(key, response);
      openEvents(response);
      if (wire === 'sse') response.write(eventText(key, 'endpoint'));
    } else if (method === 'DELETE') response.writeHead(204).end();
    else if (message.method === 'initialize') answer(request, response);
    else if (wire !== 'stateless' && message.method !== 'server/discover' && !streams.has(session)) {
      response.writeHead(404).end();
    } else if (message.id === undefined || message.method === undefined) response.writeHead(202).end();
    else answer(request, response);
  });
  open.push(server);
  const sessionOf = ({ path, headers }: RawRequest) => (wire === 'sse' ? path : String(headers['mcp-session-id']));
  const answer = (request: RawRequest, response: ServerResponse) => {
    const { id, method, params } = request.message;
    const send = (outcome: object, more?: Record<string, string>) => {
      const json = JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
      if (wire !== 'sse') return sendJson(response, json, more);
      response.writeHead(202).end();
      streams.get(request.path)?.write(eventText(json));
    };
    const result = (value: object, more?: Record<string, string>) =>
      send({ result: wire === 'stateless' ? { resultType: 'complete', ...value } : value }, more);
    switch (method) {
      case 'server/discover':
        if (wire !== 'stateless') return send({ error: { code: -32601, message: 'no' } });
        return result({ supportedVersions: ['2026-07-28'], capabilities: CAPABILITIES, serverInfo: SERVER });
      case 'initialize': {
        if (wire === 'stateless') return send({ error: { code: -32601, message: 'no' } });
        const session = `s-${++made}`;
        // Known from now on; its stream may be opened later, or never.
        if (wire === 'streamable-http') streams.set(session, response);
        const identity = { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: SERVER };
        return result(identity, { 'mcp-session-id': session });
      }
      case 'subscriptions/listen': {
        const { resourceSubscriptions: wanted = [], ...rest } = params.notifications;
        told.push(`listen ${wanted.join(' ')}`);
        openEvents(response);
        streams.set(id, response);
        const taken = wanted.filter((uri: string) => uri !== REFUSED);
        const notifications = { ...rest, ...(taken.length > 0 && { resourceSubscriptions: taken }) };
        const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
        const json = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' };
        return response.write(eventText(JSON.stringify({ ...json, params: { _meta, notifications } })));
      }
      case 'resources/subscribe':
      case 'resources/unsubscribe':
        told.push(`${method.slice('resources/'.length)} ${params.uri}`);
        return params.uri === REFUSED ? send({ error: { code: -32602, message: 'not this one' } }) : result({});
      case 'resources/list':
        return result({ resources: state.listed.map(uri => ({ uri, name: uri })) });
      case 'resources/templates/list':
        return result({ resourceTemplates: [] });
      default:
        return result({});
    }
  };
  const say = (json: string) => {
    for (const stream of streams.values()) if (!stream.writableEnded) stream.write(eventText(json));
  };
  return {
    plan: (timeoutMs: number) =>
      backendPlan('a', `${server.origin}/mcp`, { timeoutMs, ...(wire === 'sse' ? { transport: 'sse' as const } : {}) }),
    told,
    list: (...uris: string[]) => {
      state.listed = uris;
      say(LIST_CHANGED);
    },
    /** Drops all sessions, and with them all subscriptions. */
    restart: () => {
      for (const stream of streams.values()) stream.destroy();
      streams.clear();
    },
  };
}

async function serve(wire: Wire) {
  const backend = await startBackend(wire);
  const gateway = await startGateway({ backends: [backend.plan(3_000)] });
  open.push({ close: () => gateway.stop() });
  await gateway.ready();
  const raw = new RawClient(gateway.url);
  await raw.open();
  const stream = await openStream(gateway.url, 'GET', {
    accept: 'text/event-stream',
    'mcp-session-id': raw.sessionId,
  });
  open.push({ close: () => stream.destroy() });
  const ask = async (method: 'subscribe' | 'unsubscribe', uri: string) => {
    const { result, error } = JSON.parse((await raw.request(`resources/${method}`, { uri })).text);
    return error === undefined ? result : error.code;
  };
  const listed = async () => {
    const { resources } = await raw.result<{ resources: { uri: string }[] }>('resources/list');
    return resources.map(({ uri }) => uri);
  };
  /** What the backend receives after it is back, up to the subscription that must be restored. */
  const toldAgain = async () => {
    backend.told.length = 0;
    backend.restart();
    await eventually(async () => {
      await raw.request('resources/read', { uri: STAYS });
      return backend.told.some(text => text.includes(STAYS));
    });
    return backend.told.join();
  };
  return { backend, gateway, ask, listed, toldAgain };
}

describe.each(['streamable-http', 'sse', 'stateless'] as const)('at a backend over %s', wire => {
  test('a client can end a subscription to a resource that is no longer listed', async () => {
    const { backend, ask, listed, toldAgain } = await serve(wire);
    for (const uri of [JOB, STAYS]) expect(await ask('subscribe', uri)).toEqual({});
    backend.list(STAYS);
    await eventually(async () => (await listed()).length === 1);
    expect(await ask('unsubscribe', JOB)).toMatchObject({});
    expect(backend.told.at(-1)).toBe(wire === 'stateless' ? `listen ${STAYS}` : `unsubscribe ${JOB}`);
    expect(await toldAgain()).not.toContain(JOB);
    expect(await ask('unsubscribe', JOB)).toBe(-32002);
  });

  test('a client gets no updates after its subscription was refused', async () => {
    const { backend, gateway, ask, toldAgain } = await serve(wire);
    expect(await ask('subscribe', REFUSED)).toBe(wire === 'stateless' ? -32601 : -32602);
    expect(await ask('subscribe', STAYS)).toEqual({});
    expect(await toldAgain()).not.toContain(REFUSED);
    backend.told.length = 0;
    await gateway.replace({ backends: [backend.plan(3_100)] });
    await eventually(() => backend.told.some(text => text.includes(STAYS)));
    expect(backend.told.join()).not.toContain(REFUSED);
  });
});

test('refused subscriptions do not count toward the limit of a session', async () => {
  const { backend, ask, listed } = await serve('streamable-http');
  // More than a session may have.
  for (let n = 0; n < 20; n++) {
    const all = await Promise.all(Array.from({ length: 51 }, () => ask('subscribe', REFUSED)));
    expect(new Set(all)).toEqual(new Set([-32602]));
  }
  const jobs = Array.from({ length: 1_000 }, (_, n) => `x://jobs/${n}`);
  backend.list(...jobs, JOB, STAYS);
  await eventually(async () => (await listed()).length > 900);
  for (let n = 0; n < jobs.length; n += 50) {
    const all = await Promise.all(jobs.slice(n, n + 50).map(uri => ask('subscribe', uri)));
    expect(all).toEqual(all.map(() => ({})));
  }
  expect(await ask('subscribe', STAYS)).toBe(-32000);
  backend.list(STAYS);
  await eventually(async () => (await listed()).length === 1);
  expect(await ask('unsubscribe', 'x://jobs/7')).toEqual({});
  expect(await ask('subscribe', STAYS)).toEqual({});
});
