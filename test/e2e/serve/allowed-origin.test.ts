import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { expect, test } from 'vitest';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { CLEAN } from '../specs.ts';

const INITIALIZE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

async function statusFor(url: string, origin: string): Promise<number> {
  const headers = { Origin: origin, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  return (await fetch(url, { method: 'POST', headers, body: INITIALIZE })).status;
}

test('`lintel serve --allowed-origin` lets pages of the named origins call the gateway, and answers 403 to other origins', async () => {
  await using folder = await temporaryFolder(CLEAN);
  const origins = ['https://chat.example.com', 'https://ide.example.com:8443'];
  const flags = origins.flatMap(origin => ['--allowed-origin', origin]);
  await using lintel = start(PROGRAM.lintel, ['serve', folder.path, ...flags, ...FREE_PORTS]);
  const { url } = (await lintel.announcement()) as { url: string };
  for (const origin of origins) expect(await statusFor(url, origin)).toBe(200);
  expect(await statusFor(url, 'https://evil.example.com')).toBe(403);

  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new SSEClientTransport(new URL('/sse', url)) as never);
  expect(await client.ping()).toEqual({});
  await client.close();
});
