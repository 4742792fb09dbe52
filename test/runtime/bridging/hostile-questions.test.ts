/** Which requests session backends may send to stateless clients, and what happens to those that they may not. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import {
  eventText,
  openEvents,
  type RawRequest,
  type RawServer,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';
import { ask, META } from '../stateless-edge/requests.ts';

const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };
const ABLE = { ...META, 'io.modelcontextprotocol/clientCapabilities': CAPABILITIES };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

/** A backend that sends `question` (JSON text) to the client during each call, and reports the answer. */
async function asking(question: string): Promise<TestGateway> {
  let waiting: { readonly response: ServerResponse; readonly id: unknown } | undefined;
  const answered = ({ message }: RawRequest, response: ServerResponse) => {
    response.writeHead(202).end();
    const text = JSON.stringify(message.error ?? message.result);
    const result = { content: [{ type: 'text', text }] };
    waiting?.response.end(eventText(JSON.stringify({ jsonrpc: '2.0', id: waiting.id, result })));
  };
  const server: RawServer = await startRawServer(
    withHandshake((request, response) => {
      const { message } = request;
      if (message.method === undefined) return answered(request, response);
      if (message.method !== 'tools/call') {
        const tools = [{ name: 't', inputSchema: { type: 'object' } }];
        const outcome =
          message.method === 'tools/list' ? { result: { tools } } : { error: { code: -32601, message: '' } };
        return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome }));
      }
      waiting = { response, id: message.id };
      openEvents(response);
      response.write(eventText(question));
    }, 's-1'),
  );
  open.push(server);
  const gateway = await startGateway({ backends: [backendPlan('a', `${server.origin}/mcp`)] });
  open.push({ close: () => gateway.stop() });
  return gateway;
}

const call = (gateway: TestGateway) => ask(gateway.url, { method: 'tools/call', params: { name: 'a_t' }, meta: ABLE });

test('the gateway forwards the params of a question of a backend to the client with unchanged text', async () => {
  const params = '{"message":"how many?","n":9007199254740993,"requestedSchema":{"type":"object"}}';
  const gateway = await asking(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":${params}}`);
  const { text } = await call(gateway);
  expect(text).toContain(`"inputRequests":{"q1":{"method":"elicitation/create","params":${params}}}`);
});

test.each([
  ['is nested too deeply', `"elicitation/create","params":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['is not JSON', '"elicitation/create","params":{oops}'],
  ['the revision does not know', '"example/ask","params":{}'],
])('the gateway refuses a question of a backend that %s, and the call goes on', async (_, question) => {
  const gateway = await asking(`{"jsonrpc":"2.0","id":0,"method":${question}}`);
  const { status, text } = await call(gateway);
  expect(status).toBe(200);
  expect(text).toContain('Method not found');
});
