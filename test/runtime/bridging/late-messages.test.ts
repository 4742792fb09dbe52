/**
 * Messages that a backend sends about a call after its response. On HTTP+SSE nothing links a message to its call, so a stateless client's
 * session must not be reused for its next call.
 */
import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, eventually, startGateway } from '../../support/gateway.ts';
import { eventText, openEvents, startRawServer } from '../../support/raw-server.ts';
import { ask, META } from '../stateless-edge/requests.ts';

const TOOL = { name: 'tool', inputSchema: { type: 'object' } };
const IDENTITY = {
  protocolVersion: '2024-11-05',
  capabilities: { tools: {}, logging: {} },
  serverInfo: { name: 's', version: '1' },
};

/** A backend that sends its messages about a call on that call's stream only when the next call has arrived. */
async function startLateBackend() {
  const streams: ServerResponse[] = [];
  let late: (() => void) | undefined;
  const server = await startRawServer(({ method: verb, path, message }, response) => {
    if (verb === 'GET') {
      openEvents(response);
      response.write(`event: endpoint\ndata: /messages?s=${streams.push(response) - 1}\n\n`);
      return;
    }
    const stream = streams[Number(path.split('s=')[1])];
    if (stream === undefined) return void response.writeHead(405).end();
    response.writeHead(202).end();
    const { id, method, params } = message;
    const say = (said: object) => void stream.write(eventText(JSON.stringify({ jsonrpc: '2.0', ...said })));
    if (id === undefined || method === undefined) return;
    if (method === 'initialize') return say({ id, result: IDENTITY });
    if (method === 'tools/list') return say({ id, result: { tools: [TOOL] } });
    if (method !== 'tools/call') return say({ id, result: {} });
    late?.();
    const { who } = params.arguments;
    const { progressToken } = params._meta;
    say({ id, result: { content: [{ type: 'text', text: `done for ${who}` }] } });
    late = () => {
      say({ method: 'notifications/message', params: { level: 'info', data: `the secret of ${who}` } });
      say({
        method: 'notifications/progress',
        params: { progressToken, progress: 1, message: `the secret of ${who}` },
      });
      const question = { message: `${who}, your password?`, requestedSchema: { type: 'object', properties: {} } };
      say({ id: `of ${who}`, method: 'elicitation/create', params: question });
    };
  });
  onTestFinished(() => server.close());
  return { server, open: () => streams.filter(stream => !stream.destroyed).length };
}

test.each(['sse', 'streamable-http'] as const)(
  'messages that a backend sends after its answer to a call do not reach the client of a later call (transport: %s)',
  async transport => {
    const { server, open } = await startLateBackend();
    await using gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/sse`, { transport })] });
    await gateway.ready();
    const meta = {
      ...META,
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      'io.modelcontextprotocol/logLevel': 'debug',
      progressToken: 1,
    };
    for (const who of ['ann', 'bob', 'cid', 'bob']) {
      const { text } = await ask(gateway.url, {
        method: 'tools/call',
        params: { name: 'a_tool', arguments: { who } },
        meta,
      });
      expect(text).toContain(`done for ${who}`);
      expect(text).not.toMatch(/secret|password/);
    }
    // The monitor's session stays.
    await eventually(() => open() === 1);
  },
);
