/** The trace context that is forwarded to backends, in headers and in `_meta`; the rest of a message stays as the client wrote it. */
import { afterEach, describe, expect, test } from 'vitest';
import type { TelemetryPlan } from '../../../schemas/index.ts';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { startOtlpReceiver } from '../../support/otlp-receiver.ts';
import { RawClient } from '../../support/raw-client.ts';
import { type RawRequest, startRawServer } from '../../support/raw-server.ts';
import { startStatelessServer } from '../../support/stateless-server.ts';
import { ask, META } from '../stateless-edge/requests.ts';
import { telemetryPlan } from './plans.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const FRESH = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

const RESULTS: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } },
  'tools/list': { tools: [{ name: 'read', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [] },
};

async function start(more: Partial<TelemetryPlan> | undefined, samplingRate: number | null = 1) {
  const receiver = await startOtlpReceiver({ protocol: 'http/protobuf' });
  const sessions = await startRawServer(({ message }, response) => {
    const result = RESULTS[message?.method];
    const isRequest = message?.id !== undefined;
    if (result !== undefined) response.setHeader('content-type', 'application/json');
    response.statusCode = isRequest ? (result === undefined ? 404 : 200) : 202;
    response.end(result && JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  const stateless = await startStatelessServer();
  const { endpoint } = receiver;
  const gateway = await startGateway({
    backends: [backendPlan('s', `${sessions.origin}/mcp`), backendPlan('m', stateless.url)],
    ...(more && { telemetry: telemetryPlan({ endpoint, samplingRate }, more) }),
  });
  closing.push(
    () => receiver.close(),
    () => sessions.close(),
    () => stateless.close(),
    () => gateway.stop(),
  );
  await gateway.ready();
  const called = () => sessions.requests.findLast(({ message }) => message?.method === 'tools/call') as RawRequest;
  return { gateway, called, stateless };
}

/** A call in a session, with this text. */
async function callInSession(url: string, params: string, headers: Record<string, string> = {}) {
  const client = new RawClient(url);
  await client.open();
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': client.sessionId ?? '',
      ...headers,
    },
    body: `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params}}`,
  });
  expect(await response.text()).toContain('"result"');
}

describe('a call in a session', () => {
  test('a backend gets a new trace context at the beginning of the params of a call', async () => {
    const { gateway, called } = await start({});
    await callInSession(gateway.url, '{"name":"s_read","arguments":{"n":12345678901234567890}}');
    const { body, headers, message } = called();
    const { traceparent } = message.params._meta;
    expect(traceparent).toMatch(FRESH);
    expect(headers.traceparent).toBe(traceparent);
    expect(body).toBe(
      `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"_meta":{"traceparent":"${traceparent}"},"name":"read","arguments":{"n":12345678901234567890}}}`,
    );
  });

  test.each([
    ['after the name', `{"name":"s_read","_meta":{"a":1,"traceparent":"${PARENT}","tracestate":"v=1","b":2}}`],
    ['before the name', `{"_meta":{"a":1,"traceparent":"${PARENT}","tracestate":"v=1","b":2},"name":"s_read"}`],
  ])('a call continues the trace in the _meta of its client, which is %s in the params', async (_, params) => {
    const { gateway, called } = await start({});
    await callInSession(gateway.url, params);
    const { message, headers } = called();
    const { traceparent, ...others } = message.params._meta;
    expect(others).toEqual({ a: 1, tracestate: 'v=1', b: 2 });
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(traceparent).not.toBe(PARENT);
    expect([headers.traceparent, headers.tracestate]).toEqual([traceparent, 'v=1']);
    expect(message.params.name).toBe('read');
  });

  test('a call that the gateway does not record passes on the trace context of its client unchanged, or starts an unsampled trace', async () => {
    const { gateway, called } = await start({}, 0);
    const unrecorded = PARENT.replace(/01$/, '00');
    await callInSession(gateway.url, `{"name":"s_read","_meta":{"traceparent":"${unrecorded}"}}`);
    expect(called().message.params._meta.traceparent).toBe(unrecorded);
    await callInSession(gateway.url, '{"name":"s_read"}');
    expect(called().message.params._meta.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  test.each(['no-context', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `ff-${TRACE}-00f067aa0ba902b7-01`])(
    'a call with the invalid trace context %s starts a new trace',
    async traceparent => {
      const { gateway, called } = await start({});
      await callInSession(gateway.url, '{"name":"s_read"}', { traceparent });
      expect(called().headers.traceparent).toMatch(FRESH);
      expect(called().headers.traceparent).not.toContain(TRACE);
    },
  );

  test('a call is forwarded unchanged if tracing is off', async () => {
    const { gateway, called } = await start(undefined);
    const params = `{"name":"s_read","_meta":{"traceparent":"${PARENT}"}}`;
    await callInSession(gateway.url, params, { traceparent: PARENT });
    const { body, headers } = called();
    expect(body).toBe(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params.replace('s_read', 'read')}}`);
    expect(headers.traceparent, 'headers are handed on where passthroughHeaders say so').toBeUndefined();
  });
});

describe('a call without a session', () => {
  test.each(['s_read', 'm_echo'])('a stateless call continues the trace of its client: %s', async name => {
    const { gateway, called, stateless } = await start({});
    const meta = { ...META, traceparent: PARENT };
    const { status } = await ask(gateway.url, { method: 'tools/call', params: { name, arguments: {} }, meta });
    expect(status).toBe(200);
    const got = name === 's_read' ? called() : stateless.requests.findLast(({ method }) => method === 'tools/call');
    const { traceparent } = JSON.parse(got?.body ?? '').params._meta;
    expect(traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(got?.headers.traceparent).toBe(traceparent);
  });
});
