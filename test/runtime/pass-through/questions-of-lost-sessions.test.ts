/** A restarted backend reuses the id of an earlier request to the client: the answer to the earlier one must be dropped. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, IDENTITY, openEvents, sendJson, startRawServer } from '../../support/raw-server.ts';
import { open } from '../client-edge/fake-gateway.ts';

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

/** A backend that sends requests on the notification stream of a session, and drops sessions on demand. */
async function startBackend(wire: 'streamable-http' | 'sse') {
  /** The streams of the known sessions; undefined before there is one. */
  const sessions = new Map<string, ServerResponse | undefined>();
  /** Messages of clients that are no requests: progress by its message, answers by their result. */
  const said: string[] = [];
  let made = 0;
  let caller = '';
  const server = await startRawServer(({ message, method, path, headers }, response) => {
    const isOpening = wire === 'sse' ? method === 'GET' : message?.method === 'initialize';
    if (message?.method === 'server/discover') return void response.writeHead(400).end();
    const named = wire === 'sse' ? path : String(headers['mcp-session-id']);
    const session = isOpening ? `/s?id=${++made}` : named;
    if (isOpening) sessions.set(session, undefined);
    if (!sessions.has(session)) return void response.writeHead(404).end();
    if (method === 'GET') {
      openEvents(response);
      if (wire === 'sse') response.write(eventText(session, 'endpoint'));
      sessions.set(session, response);
    } else if (message === undefined) response.writeHead(204).end();
    else if (message.method === undefined || message.id === undefined) {
      if (message.result !== undefined) said.push(JSON.stringify(message.result));
      else if (message.method === 'notifications/progress') said.push(message.params.message);
      response.writeHead(202).end();
    } else {
      if (message.method === 'tools/call') caller = session;
      const tools = [{ name: 't', inputSchema: { type: 'object' } }];
      const result = message.method === 'initialize' ? IDENTITY : { tools, content: [] };
      const json = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
      if (wire === 'streamable-http') return sendJson(response, json, isOpening ? { 'mcp-session-id': session } : {});
      response.writeHead(202).end();
      sessions.get(session)?.write(eventText(json));
    }
  });
  closing.push(server);
  /** The session of the latest call, once it has a stream. */
  const calling = () => sessions.get(caller) && caller;
  return {
    plan: backendPlan('a', `${server.origin}/mcp`, { transport: wire }),
    said,
    calling,
    ask: (session: string, about: string) =>
      sessions
        .get(session)
        ?.write(
          eventText(
            `{"jsonrpc":"2.0","id":0,"method":"roots/list","params":{"_meta":{"about":"${about}","progressToken":0}}}`,
          ),
        ),
    forget: (session: string) => {
      const stream = sessions.get(session);
      sessions.delete(session);
      stream?.destroy();
    },
  };
}

test.each(['streamable-http', 'sse'] as const)(
  'answers and progress of a client reach the backend session over %s that asked, and not the session that replaced it',
  async wire => {
    const { plan, said, calling, ask, forget } = await startBackend(wire);
    const gateway = await startGateway({ backends: [plan] });
    closing.push({ close: () => gateway.stop() });
    const raw = new RawClient(gateway.url);
    await raw.open('2025-11-25', { roots: {} });
    const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': raw.sessionId };
    const stream = await open(gateway.url, 'GET', headers);
    closing.push({ close: () => stream.destroy() });
    let text = '';
    stream.setEncoding('utf8').on('data', chunk => {
      text += chunk;
    });
    const heard = () => [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json as string));
    const question = (about: string) => eventually(() => heard().find(({ params }) => params?._meta?.about === about));
    const call = () => raw.request('tools/call', { name: 'a_t', arguments: {} });

    await call();
    const first = await eventually(calling);
    ask(first, 'first');
    const former = await question('first');
    forget(first);
    const second = await eventually(async () => {
      if (calling() === undefined || calling() === first) await call();
      return calling() === first ? undefined : calling();
    });
    ask(second, 'second');
    const latter = await question('second');
    expect(latter.id).not.toBe(former.id);
    const withdrawn = heard().filter(({ method }) => method === 'notifications/cancelled');
    expect(withdrawn.map(({ params }) => params.requestId)).toEqual([former.id]);
    for (const { id, params } of [former, latter]) {
      const { about: message, progressToken } = params._meta;
      const progress = { progressToken, progress: 1, message };
      await raw.send({ jsonrpc: '2.0', method: 'notifications/progress', params: progress });
      await raw.send({ jsonrpc: '2.0', id, result: { message } });
    }
    await eventually(() => said.length >= 2);
    expect(said.toSorted()).toEqual(['second', '{"message":"second"}']);
  },
);
