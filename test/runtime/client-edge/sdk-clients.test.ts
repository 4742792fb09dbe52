import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test, vi } from 'vitest';
import type { ClientResponder } from '../../../runtime/mcp/handler.ts';
import { WireError } from '../../../runtime/mcp/wire-error.ts';
import { type Gateway, startGateway } from './fake-gateway.ts';

const ECHO = '{"content":[{"type":"text","text":"hi"}]}';

test('the official client, version 1, uses a session from beginning to end', async () => {
  const { url, sessions, heard } = await startGateway({
    'tools/call': (answer, envelope) => {
      const { _meta } = envelope.paramsValue() as { _meta: { progressToken: number } };
      const params = { progressToken: _meta.progressToken, progress: 1 };
      answer.message(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
      answer.result(ECHO);
    },
  });
  const client = new Client({ name: 'test', version: '1' });
  const changed = vi.fn();
  client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport as never);
  expect(transport.protocolVersion).toBe('2025-11-25');
  expect(await client.ping()).toEqual({});
  expect((await client.listTools()).tools.map(tool => tool.name)).toEqual(['echo']);
  const onprogress = vi.fn();
  const result = await client.callTool({ name: 'echo', arguments: {} }, undefined, { onprogress });
  expect(result.content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(onprogress).toHaveBeenCalledWith({ progress: 1 });
  sessions[0]?.send('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
  await vi.waitFor(() => expect(changed).toHaveBeenCalledOnce());
  await expect(client.listPrompts()).rejects.toThrow();
  await transport.terminateSession();
  await client.close();
  expect(heard).toEqual(['notification notifications/initialized', 'listening payload', 'closed payload']);
});

test('the official client, version 2, uses a session when it does not ask for a newer revision', async () => {
  const { url, sessions } = await startGateway();
  const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new TransportV2(new URL(url)));
  expect((await client.listTools()).tools.map(tool => tool.name)).toEqual(['echo']);
  expect(sessions).toHaveLength(1);
  await client.close();
});

const ELICITATION = {
  jsonrpc: '2.0',
  id: 'ours-1',
  method: 'elicitation/create',
  params: { message: 'Which?', requestedSchema: { type: 'object', properties: { color: { type: 'string' } } } },
};

/** A core that sends a request to the client during a call, and responds with the client's answer. */
async function askingGateway(): Promise<Gateway> {
  const waiting: ClientResponder[] = [];
  return await startGateway(
    {
      'tools/call': answer => {
        waiting.push(answer);
        expect(answer.message(JSON.stringify(ELICITATION))).toBe(true);
      },
    },
    {},
    {
      response: (_, envelope) => {
        const { result } = JSON.parse(envelope.text) as { result: unknown };
        waiting.shift()?.result(JSON.stringify({ content: [{ type: 'text', text: JSON.stringify(result) }] }));
      },
    },
  );
}

const CHOICE = { action: 'accept', content: { color: 'red' } } as const;
const CHOSEN = { content: [{ type: 'text', text: JSON.stringify(CHOICE) }] };

test('the official client, version 1, answers a question that the gateway asks during a call', async () => {
  const { url } = await askingGateway();
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => CHOICE);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  expect(await client.callTool({ name: 'ask', arguments: {} })).toEqual(CHOSEN);
  await client.close();
});

test('the official client, version 2, answers a question that the gateway asks during a call', async () => {
  const { url } = await askingGateway();
  const client = new ClientV2({ name: 'test', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => CHOICE);
  await client.connect(new TransportV2(new URL(url)));
  expect(await client.callTool({ name: 'ask', arguments: {} })).toMatchObject(CHOSEN);
  await client.close();
});

test.each(['version 1', 'version 2'])(
  'the official client, %s, reconnects after its connection broke during a call, and gets the answer',
  async version => {
    const ended = Promise.withResolvers<void>();
    const { url, breakAnswers } = await startGateway({
      'tools/call': answer => {
        answer.message('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"soon"}}');
        answer.onAbort(() => ended.reject(new Error('the call was given up')));
        setTimeout(() => {
          breakAnswers();
          setTimeout(() => answer.result(ECHO), 50);
        }, 50);
      },
    });
    const options = { reconnectionOptions: FAST };
    const client =
      version === 'version 1'
        ? new Client({ name: 'test', version: '1' })
        : new ClientV2({ name: 'test', version: '1' });
    const transport =
      version === 'version 1'
        ? new StreamableHTTPClientTransport(new URL(url), options)
        : new TransportV2(new URL(url), options);
    await client.connect(transport as never);
    const result = await Promise.race([client.callTool({ name: 'echo', arguments: {} }), ended.promise]);
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
    await client.close();
  },
);

test.each(['version 1', 'version 2'])(
  'the official client, %s, does not reconnect for a call that got an error',
  async version => {
    const gets: string[] = [];
    const { url } = await startGateway({
      'tools/call': answer => {
        answer.message('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"soon"}}');
        answer.error(new WireError(-32603, 'no luck'));
      },
    });
    const noting = async (input: string | URL, init?: RequestInit): Promise<Response> => {
      const response = await fetch(input, init);
      if (init?.method === 'GET') gets.push(`${new Headers(init.headers).get('last-event-id')} ${response.status}`);
      return response;
    };
    const onerror = vi.fn();
    const client =
      version === 'version 1'
        ? new Client({ name: 'test', version: '1' })
        : new ClientV2({ name: 'test', version: '1' });
    const options = { fetch: noting };
    const transport =
      version === 'version 1'
        ? new StreamableHTTPClientTransport(new URL(url), options)
        : new TransportV2(new URL(url), options);
    client.onerror = onerror;
    await client.connect(transport as never);
    for (let n = 0; n < 2; n++) {
      await expect(client.callTool({ name: 'echo', arguments: {} })).rejects.toThrow('no luck');
    }
    expect((await client.listTools()).tools).toHaveLength(1);
    // Version 1 asks once more after a failure: it gets an empty response, and stops.
    if (version === 'version 1') await vi.waitFor(() => expect(gets).toHaveLength(3), { timeout: 5_000 });
    expect(gets.filter(get => get.endsWith(' 200'))).toEqual(['null 200']);
    expect(onerror).not.toHaveBeenCalled();
    await client.close();
  },
);

const FAST = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 20,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 5,
};
