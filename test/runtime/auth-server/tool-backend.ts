import type { IncomingHttpHeaders } from 'node:http';
import { type RawServer, startRawServer, withHandshake } from '../../support/raw-server.ts';

/**
 * A backend with these tools, which complete at once.
 *
 * @param onRequest gets the headers of every request after the handshake
 * @param refuses whether calls are answered 401
 */
export function startToolBackend(
  names: readonly string[],
  onRequest: (headers: IncomingHttpHeaders) => void = () => {},
  refuses: () => boolean = () => false,
): Promise<RawServer> {
  const tools = names.map(name => ({ name, inputSchema: { type: 'object' } }));
  return startRawServer(
    withHandshake(
      ({ message, headers }, out) => {
        onRequest(headers);
        if (message.method === 'tools/call' && refuses()) {
          out.writeHead(401).end();
          return;
        }
        const result = message.method === 'tools/call' ? { content: [{ type: 'text', text: 'done' }] } : { tools };
        out
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      },
      undefined,
      { tools: {} },
    ),
  );
}
