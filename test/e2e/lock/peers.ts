/** MCP servers that `lintel lock` queries, and specs that name them. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { runLintel } from '../../support/lintel.ts';
import type { Outcome, TemporaryFolder } from '../../support/process.ts';
import { type RawHandler, type RawRequest, sendJson, withHandshake } from '../../support/raw-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { GROUP } from '../specs.ts';

export const LOCK = 'lintel.lock.json';

/** Runs `lintel lock` in a folder. */
export function lock(folder: TemporaryFolder, args: readonly string[], env = {}): Promise<Outcome> {
  return runLintel(['lock', 'specs', ...args], { cwd: folder.path, env });
}

/** A gateway `eng` with inline backends and further fields of its `config`. */
export function gatewayOver(
  backends: readonly { readonly name: string; readonly url: string; readonly transport?: string }[],
  config = '',
): string {
  const items = backends.map(
    ({ name, url, transport = 'streamable-http' }) =>
      `      - { name: ${name}, url: "${url}", transport: ${transport} }\n`,
  );
  return `${GROUP}---
apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata: { name: eng }
spec:
  groupRef: { name: tools }
  incomingAuth: { type: anonymous }
  config:
    outgoingAuth: { source: inline${config} }
    backends:
${items.join('')}`;
}

/** The key of a backend of that gateway. */
export function formatLockKey(backend: string): string {
  return `default/VirtualMCPServer/eng/${backend}`;
}

/** A server that answers `tools/list` with these tools, and every other list request as unknown. */
export function offering(tools: () => readonly unknown[]): RawHandler {
  return withHandshake(({ message }, response) => {
    const { id, method } = message;
    const answer =
      method === 'tools/list' ? { result: { tools: tools() } } : { error: { code: -32601, message: `no ${method}` } };
    sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
}

/** Starts a server over TLS, with the tests' certificate. */
export async function startTlsServer(handler: RawHandler): Promise<{ readonly url: string; close(): Promise<void> }> {
  const http = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const { method = '', url = '', headers } = incoming;
    const request: RawRequest = {
      method,
      path: url,
      headers,
      body,
      message: body === '' ? undefined : JSON.parse(body),
    };
    await handler(request, response);
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise(resolve => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
