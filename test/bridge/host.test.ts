/** The bridge refuses a request with several `Host` headers (RFC 9112, section 3.2): a proxy in front of it may have checked another one of them. */
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Bridge } from '../../bridge/bridge.ts';
import { createHttpServer } from '../../bridge/http/create-server.ts';
import { createEndpoint } from '../../bridge/http/endpoint.ts';

const HAS_NONE = { has: () => false, paths: () => [] } as unknown as Bridge;

async function answerTo(head: string): Promise<string> {
  const endpoint = createEndpoint(HAS_NONE, undefined);
  const server = createHttpServer((req, res) => void endpoint(req, res));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.end(`GET /a/b/mcp HTTP/1.1\r\nConnection: close\r\n${head}\r\n`);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}

test.each([
  ['one header', 'Host: 127.0.0.1\r\n', /^HTTP\/1\.1 404 /],
  ['two headers', 'Host: 127.0.0.1\r\nHost: elsewhere.example\r\n', /^HTTP\/1\.1 400 [\s\S]*exactly one Host header/],
  ['no header', '', /^HTTP\/1\.1 400 /],
])('the bridge accepts only requests with exactly one Host header: %s', async (_count, head, expected) => {
  expect(await answerTo(head)).toMatch(expected);
});
