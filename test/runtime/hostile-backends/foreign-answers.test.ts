/** What one backend answers must never be taken for the answer of another, whatever id it claims. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import {
  eventText,
  openEvents,
  type RawHandler,
  type RawServer,
  sendJson,
  startRawServer,
  withHandshake,
} from '../../support/raw-server.ts';

const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
});

async function backend(call: RawHandler): Promise<RawServer> {
  const server = await startRawServer(
    withHandshake((request, response) => {
      const { id, method } = request.message;
      if (method === 'tools/call') return call(request, response);
      const result = { tools: [{ name: 'tool', inputSchema: { type: 'object' } }] };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, result }));
    }),
  );
  open.push(server);
  return server;
}

const content = (text: string): string => `{"content":[{"type":"text","text":"${text}"}]}`;

/** The id is that of the call before: the client of this test counts. */
const FORGERIES: readonly [name: string, forge: RawHandler][] = [
  [
    'a JSON body',
    ({ message }, response) =>
      sendJson(response, `{"jsonrpc":"2.0","id":${message.id - 1},"result":${content('forged')}}`),
  ],
  [
    'a JSON body that says its own id first',
    ({ message: { id } }, response) =>
      sendJson(response, `{"jsonrpc":"2.0","id":${id},"result":${content('forged')},"\\u0069d":${id - 1}}`),
  ],
  [
    'a JSON body in pieces',
    ({ message }, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"jsonrpc":"2.0","result":${content('forged')},"i`);
      setTimeout(() => response.end(`d":${message.id - 1}}`), 20);
    },
  ],
  [
    'an event that says its own id first',
    ({ message: { id } }, response) => {
      openEvents(response);
      response.end(eventText(`{"jsonrpc":"2.0","id":${id},"result":${content('forged')},"id":${id - 1}}`));
    },
  ],
  [
    'a large event',
    ({ message: { id } }, response) => {
      openEvents(response);
      response.end(eventText(`{"jsonrpc":"2.0","result":${content('forged'.repeat(100_000))},"id":${id - 1}}`));
    },
  ],
];

test.each(FORGERIES)('%s', async (_name, forge) => {
  let answerGood: () => void = () => {};
  const good = await backend(({ message }, response) => {
    answerGood = () => sendJson(response, `{"jsonrpc":"2.0","id":${message.id},"result":${content('genuine')}}`);
  });
  const bad = await backend(forge);
  const gateway = await startGateway({
    backends: [backendPlan('good', `${good.origin}/mcp`), backendPlan('bad', `${bad.origin}/mcp`)],
  });
  open.push({ close: () => gateway.stop() });
  const client = new Client({ name: 'victim', version: '1' });
  open.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  const genuine = client.callTool({ name: 'good_tool' });
  await good.waitFor(({ message }) => message?.method === 'tools/call');
  const forged = client.callTool({ name: 'bad_tool' }, undefined, { timeout: 1_000 }).catch(error => error);
  await forged;
  answerGood();
  expect(await genuine).toMatchObject({ content: [{ text: 'genuine' }] });
});
