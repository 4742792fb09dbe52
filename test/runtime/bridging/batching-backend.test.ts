/** A backend that sends everything about a call in one batch, with clients of every kind: none of them notices. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { eventText, IDENTITY, openEvents, type RawServer, sendJson, startRawServer } from '../../support/raw-server.ts';
import { CLIENTS } from './matrix-clients.ts';

let backend: RawServer;
let gateway: TestGateway;

beforeAll(async () => {
  backend = await startRawServer((request, response) => {
    const { id, method, params } = request.message ?? {};
    if (request.method !== 'POST') response.writeHead(405).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'initialize') {
      sendJson(response, answerOf(id, { ...IDENTITY, protocolVersion: '2025-03-26' }));
    } else if (method === 'tools/list') {
      const tools = ['json', 'event'].map(name => ({ name, inputSchema: { type: 'object' } }));
      sendJson(response, answerOf(id, { tools }));
    } else if (method === 'tools/call') {
      const { progressToken } = params._meta;
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } };
      const answer = answerOf(id, { content: [{ type: 'text', text: params.name }] });
      const batch = `[${answer},${JSON.stringify(progress)}]`;
      if (params.name === 'json') sendJson(response, batch);
      else {
        openEvents(response);
        response.end(eventText(batch));
      }
    } else sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'none' } }));
  });
  gateway = await startGateway({ backends: [backendPlan('b', `${backend.origin}/mcp`)] });
  await gateway.ready();
});

afterAll(async () => {
  await gateway.stop();
  await backend.close();
});

test.each(CLIENTS)(
  'the client "%s" gets from a backend that sends batches first the progress and then the result of its call',
  async (_, connect) => {
    const client = await connect(gateway.url, 'ann');
    onTestFinished(() => client.close());
    for (const tool of ['json', 'event']) {
      const seen: number[] = [];
      const result = await client.callTool(`b_${tool}`, {}, progress => void seen.push(progress));
      expect([result, seen]).toEqual([{ text: tool, isError: false }, [1]]);
    }
  },
);

function answerOf(id: unknown, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}
