/**
 * Serves peers on loopback ports and prints one line of JSON: their URLs by name. Arguments: `NAME:KIND:PORT`, where KIND is `streamable`, `sse`
 * or `stateless`, and port 0 is any free port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Peer, servePeer } from './peer.ts';
import { SsePeer } from './sse-peer.ts';
import { StatelessPeer } from './stateless-peer.ts';
import { StreamablePeer } from './streamable-peer.ts';

/** No request may come here: a redirect to another origin would leak the call. The parent process reads standard error. */
const elsewhere = createServer((request, response) => {
  process.stderr.write(`a redirect to another origin was followed: ${request.method} ${request.url}\n`);
  response.destroy();
});
await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve));
const elsewhereUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/mcp`;

const urls: Record<string, string> = {};
for (const argument of process.argv.slice(2)) {
  const [name = '', kind, port] = argument.split(':');
  const peer = peerOf(name, kind);
  urls[name] = (await servePeer(peer, Number(port))) + peer.path;
}
process.stdout.write(`${JSON.stringify(urls)}\n`);

function peerOf(name: string, kind: string | undefined): Peer {
  switch (kind) {
    case 'streamable':
      return new StreamablePeer(name, elsewhereUrl);
    case 'sse':
      return new SsePeer(name, elsewhereUrl);
    case 'stateless':
      return new StatelessPeer(name, elsewhereUrl);
    default:
      throw new Error(`no kind of peer "${kind}"`);
  }
}
