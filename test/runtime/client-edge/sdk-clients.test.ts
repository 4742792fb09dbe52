import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { expect, test, vi } from 'vitest';
import { startGateway } from './fake-gateway.ts';

const ECHO = '{"content":[{"type":"text","text":"hi"}]}';

test('the official client, version 1: a session from beginning to end', async () => {
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
  expect(heard).toEqual(['notification notifications/initialized', 'closed payload']);
});

test('the official client, version 2: a session when it does not ask for anything newer', async () => {
  const { url, sessions } = await startGateway();
  const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  await client.connect(new TransportV2(new URL(url)));
  expect((await client.listTools()).tools.map(tool => tool.name)).toEqual(['echo']);
  expect(sessions).toHaveLength(1);
  await client.close();
});
