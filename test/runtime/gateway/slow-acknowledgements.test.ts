/** Messages of one client to a backend that is slow to acknowledge them do not delay other clients. */
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import {
  eventText,
  IDENTITY,
  openEvents,
  type RawHandler,
  type RawRequest,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';

const TOOLS = '{"tools":[{"name":"tool","inputSchema":{"type":"object"}}]}';
const CALLED = '{"content":[]}';

/** The responses of a backend with one tool. */
function answerTo({ message: { id, method } }: RawRequest): string {
  const result = { initialize: JSON.stringify(IDENTITY), 'tools/list': TOOLS, 'tools/call': CALLED }[method as string];
  const outcome = result === undefined ? '"error":{"code":-32601,"message":"no"}' : `"result":${result}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
}

async function startFor(transport: 'streamable-http' | 'sse', handler: RawHandler) {
  const server = await startRawServer(handler);
  const plan = backendPlan('a', `${server.origin}/sse`, { transport, timeoutMs: 60_000 });
  const gateway = await startGateway({ backends: [plan] });
  onTestFinished(async () => {
    await server.close();
    await gateway.stop();
  });
  await gateway.ready();
  const open = async (capabilities = {}) => {
    const client = new RawClient(gateway.url);
    await client.open('2025-11-25', capabilities);
    return client;
  };
  return { server, open };
}

const call = (client: RawClient, input = {}) => client.request('tools/call', { name: 'a_tool', arguments: input });

test('unacknowledged notifications of a client do not delay the session of another client', async () => {
  const held: ServerResponse[] = [];
  const answering = withHandshake((request, response) => {
    if (request.message?.id === undefined) response.writeHead(202).end();
    else sendJson(response, answerTo(request));
  }, 's-1');
  const { server, open } = await startFor('streamable-http', (request, response) => {
    if (request.message?.method === 'notifications/x') held.push(response);
    else answering(request, response);
  });
  const noisy = await open();
  await call(noisy);
  await Promise.all(Array.from({ length: 100 }, () => noisy.send({ jsonrpc: '2.0', method: 'notifications/x' })));
  await server.waitFor(({ message }) => message?.method === 'notifications/x');
  expect((await call(await open())).text).toContain(CALLED);
  expect(held.length).toBeGreaterThan(0);
  for (const response of held) response.writeHead(202).end();
});

test('HTTP+SSE calls that wait for their client do not delay another call', async () => {
  const streams = new Map<string, ServerResponse>();
  const asking: (() => void)[] = [];
  const { open } = await startFor('sse', (request, post) => {
    const { message, method, path } = request;
    const stream = streams.get(path);
    const finish = () => {
      stream?.write(eventText(answerTo(request)));
      post.writeHead(202).end();
    };
    if (method === 'GET') {
      const box = `/in?of=${streams.size}`;
      streams.set(box, post);
      openEvents(post);
      post.write(eventText(box, 'endpoint'));
    } else if (message?.id === undefined || message.method === undefined) post.writeHead(202).end();
    else if (message.params?.arguments?.ask !== true) finish();
    else if (asking.push(finish) === 1) {
      stream?.write(eventText('{"jsonrpc":"2.0","id":"q","method":"roots/list"}'));
    }
  });
  const asked = await open({ roots: {} });
  const calls = Array.from({ length: 64 }, () => call(asked, { ask: true }));
  await eventually(() => asking.length === 64);
  expect((await call(await open())).text).toContain(CALLED);
  for (const finish of asking) finish();
  for (const { text } of await Promise.all(calls)) expect(text).toContain(CALLED);
});
