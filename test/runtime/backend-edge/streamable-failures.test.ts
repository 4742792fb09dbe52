/** Streamable HTTP with raw servers: every failure of a single request. */

import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BackendFailure } from '../../../runtime/mcp/backend-error.ts';
import { eventText, openEvents, type RawHandler, sendJson, startRawServer } from '../../support/raw-server.ts';
import { Edge, planFor, RecordingSink, send } from './harness.ts';
import { answerTo, connect } from './raw-peer.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

describe('failures', () => {
  const rows: readonly [name: string, handler: RawHandler, reason: BackendFailure, message: string][] = [
    [
      '202',
      (_q, r) => void r.writeHead(202).end(),
      'protocol_error',
      'accepted the request, but did not answer it (HTTP 202)',
    ],
    [
      '204',
      (_q, r) => void r.writeHead(204).end(),
      'protocol_error',
      'accepted the request, but did not answer it (HTTP 204)',
    ],
    ['an empty body', (_q, r) => sendJson(r, ''), 'protocol_error', 'answered with an empty body'],
    [
      'HTML as JSON',
      (_q, r) => sendJson(r, '<html>'),
      'protocol_error',
      'answered with something other than a JSON object',
    ],
    ['a batch', (_q, r) => sendJson(r, '[{}]'), 'protocol_error', 'answered with something other than a JSON object'],
    [
      'no content type',
      (_q, r) => void r.end('{}'),
      'protocol_error',
      'answered with neither JSON nor an event stream',
    ],
    [
      'HTML',
      (_q, r) => sendJson(r, 'x', { 'content-type': 'text/html' }),
      'protocol_error',
      'answered with neither JSON nor an event stream',
    ],
    [
      'a content encoding',
      (_q, r) => sendJson(r, 'x', { 'content-encoding': 'gzip' }),
      'protocol_error',
      'answered in a content encoding that was not asked for',
    ],
    [
      'a stream without the answer',
      (_q, r) => void r.writeHead(200, { 'content-type': 'text/event-stream' }).end(eventText('{"method":"a"}')),
      'protocol_error',
      'closed the stream before the answer',
    ],
    [
      'an event that is not JSON-RPC',
      (_q, r) => {
        openEvents(r);
        r.write(eventText('garbage'));
      },
      'protocol_error',
      'sent an event that is not a JSON-RPC message',
    ],
    [
      '401',
      (_q, r) => sendJson(r, '{}', {}, 401),
      'unauthenticated',
      'refused the credentials of the request (HTTP 401)',
    ],
    [
      '403',
      (_q, r) => void r.writeHead(403).end(),
      'unauthenticated',
      'refused the credentials of the request (HTTP 403)',
    ],
    ['500', (_q, r) => sendJson(r, '{"secret":1}', {}, 500), 'http_error', 'answered HTTP 500'],
    ['500 with an endless body', (_q, r) => flood(r, 500), 'http_error', 'answered HTTP 500'],
    [
      'a redirect to another host',
      (_q, r) => void r.writeHead(307, { location: 'http://localhost:1/?token=secret' }).end(),
      'http_error',
      'answered with a redirect that may not be followed (HTTP 307)',
    ],
    ['a lost connection', (_q, r) => void r.destroy(), 'connection_failed', 'the connection failed (UND_ERR_SOCKET)'],
    [
      'an interrupted stream',
      (_q, r) => {
        openEvents(r);
        setTimeout(() => r.destroy(), 20);
      },
      'connection_failed',
      'the connection failed (UND_ERR_SOCKET)',
    ],
    ['not HTTP', (_q, r) => void r.socket?.end('SSH-2.0\r\n'), 'protocol_error', 'the answer is not HTTP'],
    [
      'a content length over the limit',
      (_q, r) => sendJson(r, '{}', { 'content-length': '5000' }),
      'too_large',
      'the answer is larger than allowed',
    ],
    ['a body over the limit', (_q, r) => flood(r, 200), 'too_large', 'the answer is larger than allowed'],
    [
      'an event over the limit',
      (_q, r) => {
        openEvents(r);
        r.write(eventText(`"${'x'.repeat(5_000)}"`));
      },
      'too_large',
      'the answer is larger than allowed',
    ],
    ['silence', () => {}, 'timeout', 'did not answer within 200ms'],
    [
      'only comments in a stream',
      (_q, r) => {
        openEvents(r);
        const timer = setInterval(() => r.write(': still here\n\n'), 30);
        r.on('close', () => clearInterval(timer));
      },
      'timeout',
      'did not answer within 200ms',
    ],
    [
      'a body that stops',
      (_q, r) => void r.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      'timeout',
      'did not answer within 200ms',
    ],
  ];

  function flood(response: ServerResponse, status: number): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.write('{');
    const timer = setInterval(() => response.write(Buffer.alloc(40_000, 0x20)), 1);
    response.on('close', () => clearInterval(timer));
  }

  test.each(rows)(
    'a call fails, with the cause in its error, when its Streamable HTTP backend answers with %s',
    async (_name, handler, reason, message) => {
      const { session } = await connect(edge, handler, {
        timeoutMs: reason === 'timeout' ? 200 : 5_000,
        maxResponseBytes: 4_000,
      });
      const sink = await send(session, 'x');
      expect(sink.error).toMatchObject({ name: 'BackendError', backend: 'peer', reason });
      expect(sink.error?.message).toBe(`backend "peer": ${message}`);
    },
  );

  test('a call to an address that is not allowed fails, and its error does not contain the query of the URL', async () => {
    const server = await edge.server(startRawServer(() => {}));
    const session = edge.sessionful(planFor(`${server.origin}/?token=secret`), edge.client({ addresses: 'public' }));
    const sink = await send(session, 'x');
    expect(sink.error?.reason).toBe('address_refused');
    expect(sink.error?.message).toBe('backend "peer": connecting to 127.0.0.1 is not allowed: the address is loopback');
  });
});

describe('the timeout of a call', () => {
  test('each message and each chunk of the body from the backend restarts the timeout of a call', async () => {
    const { session } = await connect(
      edge,
      async (request, response) => {
        const pause = () => new Promise(resolve => setTimeout(resolve, 500));
        if (request.message.method === 'stream') openEvents(response);
        else response.writeHead(200, { 'content-type': 'application/json' }).write('{');
        for (let n = 0; n < 4; n++) {
          await pause();
          response.write(
            request.message.method === 'stream' ? eventText('{"jsonrpc":"2.0","method":"notifications/x"}') : ' ',
          );
        }
        const answer = answerTo(request, '{}');
        response.end(request.message.method === 'stream' ? eventText(answer) : answer.slice(1));
      },
      // Shorter than all pauses together, and much longer than each, even on a busy machine.
      { timeoutMs: 1_800 },
    );
    const [stream, body] = await Promise.all([send(session, 'stream'), send(session, 'body')]);
    expect([stream.error, body.error]).toEqual([undefined, undefined]);
    expect(stream.messages).toHaveLength(4);
  });

  test('when a call times out, the gateway sends the backend a cancellation with the id of the call', async () => {
    const { server, session } = await connect(edge, () => {}, { timeoutMs: 2_000 });
    await send(session, 'x', {}, { id: '"the one"' });
    const { message } = await server.waitFor(request => request.message?.method === 'notifications/cancelled');
    expect(message.params).toEqual({ requestId: 'the one', reason: 'no answer within 2000 ms' });
  });

  test('the gateway sends no cancellation for an initialize request that times out', async () => {
    const server = await edge.server(startRawServer(() => {}));
    const session = edge.sessionful(planFor(server.origin, 'streamable-http', 100));
    expect((await send(session, 'x')).error?.reason).toBe('timeout');
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(1);
  });
});

test('the gateway sends a cancellation at once, even if a hanging request uses the only connection that is allowed', async () => {
  const { server, session } = await connect(
    edge,
    (request, response) => {
      if (request.message.method === 'stuck') openEvents(response);
    },
    { connections: 1 },
  );
  await session.open();
  const stuck = send(session, 'stuck', {}, { timeoutMs: 2_000 });
  await server.waitFor(request => request.message?.method === 'stuck');
  await session.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}');
  expect(server.requests.at(-1)?.message.method).toBe('notifications/cancelled');
  expect((await stuck).error?.reason).toBe('timeout');
});

test('a call is aborted when its client has not read the response for a minute', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { session } = await connect(edge, (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(answerTo(request, '{}').slice(0, -1));
  });
  let isFull: () => void = () => {};
  const full = new Promise<void>(resolve => {
    isFull = resolve;
  });
  class FullSink extends RecordingSink {
    override data(chunk: Uint8Array): boolean {
      super.data(chunk);
      return false;
    }
    override onDrain(): void {
      isFull();
    }
  }
  const sink = new FullSink();
  const sent = send(session, 'x', {}, { sink });
  await full;
  vi.advanceTimersByTime(59_000);
  expect(sink.error).toBeUndefined();
  vi.advanceTimersByTime(1_000);
  expect((await sent).error).toMatchObject({
    reason: 'aborted',
    message: 'backend "peer": no client reads the response any more',
  });
});
