/** Users take their time: open requests to one client do not keep another client from its calls. */
import { expect, onTestFinished, test } from 'vitest';
import { backendPlan, startGateway } from '../../support/gateway.ts';
import { RawClient } from '../../support/raw-client.ts';
import { eventText, openEvents, sendJson, startRawServer, withHandshake } from '../../support/raw-server.ts';
import { ask, META } from '../stateless-edge/requests.ts';

/** More than the limit of concurrent calls. */
const ASKED = 70;

const QUESTION = { message: 'who?', requestedSchema: { type: 'object', properties: {} } };

async function serve() {
  const backend = await startRawServer(
    withHandshake(({ message: { id, method, params } }, response) => {
      if (method === 'tools/call' && params.arguments.ask) {
        openEvents(response);
        response.write(
          eventText(JSON.stringify({ jsonrpc: '2.0', id: `q${id}`, method: 'elicitation/create', params: QUESTION })),
        );
        return;
      }
      const tools = [{ name: 't', inputSchema: { type: 'object' } }];
      sendJson(
        response,
        JSON.stringify({ jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools } : { content: [] } }),
      );
    }, 's-1'),
  );
  onTestFinished(() => backend.close());
  const gateway = await startGateway({ backends: [backendPlan('a', `${backend.origin}/mcp`)] });
  onTestFinished(() => gateway.stop());
  await gateway.ready();
  const raw = new RawClient(gateway.url);
  await raw.open();
  return { gateway, call: () => raw.result('tools/call', { name: 'a_t', arguments: {} }) };
}

const ASKING = { name: 'a_t', arguments: { ask: true } };

test('the gateway limits how many questions to stateless clients are open at once', async () => {
  const { gateway, call } = await serve();
  const meta = { ...META, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  for (let n = 0; n < ASKED; n++) {
    const { text } = await ask(gateway.url, { method: 'tools/call', params: ASKING, meta });
    expect(text).toContain('"resultType":"input_required"');
  }
  expect(await call()).toEqual({ content: [] });
});

test('the gateway limits how many questions to clients in sessions are open at once', async () => {
  const { gateway, call } = await serve();
  const streams: AsyncGenerator<string, void>[] = [];
  for (let n = 0; n < ASKED; n += 10) {
    const client = new RawClient(gateway.url);
    await client.open('2025-11-25', { elicitation: {} });
    for (let m = 0; m < 10; m++) {
      const stream = client.stream('tools/call', ASKING);
      expect((await stream.next()).value).toContain('"elicitation/create"');
      streams.push(stream);
    }
  }
  expect(await call()).toEqual({ content: [] });
  for (const stream of streams) await stream.return();
});
