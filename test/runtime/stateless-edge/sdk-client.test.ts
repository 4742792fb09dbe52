import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test, vi } from 'vitest';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { startGateway } from '../client-edge/fake-gateway.ts';
import { fakeStatelessCore, type StatelessOptions } from '../client-edge/fake-stateless.ts';
import { REVISION } from './requests.ts';

async function connect(options: StatelessOptions = {}) {
  const stateless = fakeStatelessCore(options);
  const gateway = await startGateway({}, { stateless });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)));
  return { client, gateway, stateless };
}

test('the official client finds the stateless revision, and lists and calls tools without a session', async () => {
  const { client, gateway } = await connect({
    behaviours: {
      'tools/call': (answer, envelope) => {
        const { _meta } = envelope.paramsValue() as { _meta: { progressToken: number } };
        const params = { progressToken: _meta.progressToken, progress: 1 };
        answer.message(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
        answer.result('{"resultType":"complete","content":[{"type":"text","text":"hi"}]}');
      },
    },
  });
  expect(client.getNegotiatedProtocolVersion()).toBe(REVISION);
  expect(client.getServerVersion()).toMatchObject({ name: 'fake', version: '1' });
  expect(client.getInstructions()).toBe('ask');
  expect((await client.listTools()).tools.map(tool => tool.name)).toEqual(['echo']);
  const onprogress = vi.fn();
  const { content } = await client.callTool({ name: 'echo', arguments: {} }, { onprogress });
  expect(content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(onprogress).toHaveBeenCalledWith({ progress: 1 });
  expect(gateway.sessions).toEqual([]);
  await client.close();
});

test.each([
  ['plain', 'echo'],
  ['beyond ASCII', '日本 é'],
  ['like an encoded name', '=?base64?eA==?='],
  ['with surrounding spaces', ' x '],
])('the official client calls a tool whose name is %s', async (_, name) => {
  const heard: (string | undefined)[] = [];
  const { client } = await connect({
    behaviours: {
      'tools/call': (answer, envelope) => {
        heard.push(envelope.name?.value);
        answer.result('{"resultType":"complete","content":[]}');
      },
    },
  });
  await client.callTool({ name, arguments: {} });
  expect(heard).toEqual([name]);
  await client.close();
});

test('the official client gets an error of the gateway with its code', async () => {
  const { client } = await connect({
    behaviours: {
      'tools/call': () => {
        throw new WireError(-32602, 'unknown tool "x"');
      },
    },
  });
  const error = await client.callTool({ name: 'x', arguments: {} }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('unknown tool "x"') });
  await client.close();
});

test('the official client opens a subscription, gets a notification, and ends the subscription', async () => {
  const { client, gateway, stateless } = await connect();
  const changed = vi.fn();
  client.setNotificationHandler('notifications/tools/list_changed', changed);
  const listening = await client.listen({ toolsListChanged: true, promptsListChanged: true });
  expect(listening.honoredFilter).toEqual({ toolsListChanged: true });
  const [subscription] = stateless.subscriptions;
  subscription?.sink.message('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce());
  await listening.close();
  await vi.waitFor(() => expect(subscription?.isClosed).toBe(true));
  await vi.waitFor(() => expect(gateway.endpoint.subscriptionCount).toBe(0));
  await client.close();
});

test('the official client can distinguish the orderly end of a subscription by the gateway from a lost connection', async () => {
  const { client, gateway } = await connect();
  const listening = await client.listen({ toolsListChanged: true });
  gateway.endpoint.endStreams();
  expect(await listening.closed).toBe('graceful');
  await client.close();
});
