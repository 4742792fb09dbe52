/** Serves the listing API with plain `node:http`, without routes, tokens, conditional requests and content codings, to show what those cost. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRegistryApi } from '../../../runtime/registry/listing/index.ts';
import { createTestSnapshot } from '../../support/registry-snapshot.ts';
import { REGISTRY } from './bundle.ts';
import { corpus } from './corpus.ts';

const sources = ['everything'];
const snapshots = new Map([['everything', createTestSnapshot('everything', corpus(Number(process.argv[2])))]]);
const api = createRegistryApi([{ name: REGISTRY, sources, claims: null }], () => snapshots);
const request = { registry: REGISTRY, sources };

const server = createServer((req, res) => {
  const query = new URLSearchParams(req.url?.split('?')[1]);
  const { bytes, etag } = api.servers(request, {
    search: query.get('search') ?? undefined,
    cursor: query.get('cursor') ?? undefined,
  });
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length, etag }).end(bytes);
});
server.keepAliveTimeout = 300_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
