/** Pages whose host name was rebound to the gateway's address, which is not loopback: as in every container. */
import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger, serve } from '#runtime';
import { formatCanonicalJson } from '#schemas';
import { gatewayBundle } from '../../support/gateway.ts';
import { temporaryFolder } from '../../support/process.ts';
import { initializeText, open, post, readUntil } from './fake-gateway.ts';

const outside = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

async function serveOutside(allowedOrigins: readonly string[] = []): Promise<URL> {
  await using folder = await temporaryFolder({ 'bundle.json': formatCanonicalJson(gatewayBundle({ backends: [] })) });
  const runtime = await serve(
    {
      bundle: folder.path,
      gateway: undefined,
      listen: { host: outside ?? '127.0.0.1', port: 0 },
      internal: { host: '127.0.0.1', port: 0 },
      watch: false,
      allowedOrigins,
    },
    createLogger('silent'),
  );
  onTestFinished(() => runtime.stop());
  return new URL(runtime.url);
}

/** The request of a browser for a page whose host it believes to be the gateway. */
const rebound = (origin: string) => ({ Origin: origin, Host: new URL(origin).host });

test.runIf(outside !== undefined)(
  'the gateway refuses a page of a host name that DNS rebinding points to the gateway',
  async () => {
    const url = await serveOutside();
    const page = rebound(`http://rebound.example:${url.port}`);
    const refused = await post(url.href, initializeText(), page);
    expect(refused.status).toBe(403);
    expect(JSON.parse(refused.text)).toMatchObject({
      id: null,
      error: { code: -32000, message: expect.stringContaining('--allowed-origin') },
    });
    // A GET to the page's own origin has no Origin, and the page must never get the responses on that stream.
    const stream = await open(new URL('/sse', url).href, 'GET', { Accept: 'text/event-stream', Host: page.Host });
    const endpoint = /data: (\S+)/.exec(await readUntil(stream, '\n\n'))?.[1] ?? '';
    stream.destroy();
    expect((await post(new URL(endpoint, url).href, initializeText(), page)).status).toBe(403);
  },
);

test.runIf(outside !== undefined)(
  'the gateway accepts clients without an Origin header, pages of its own address and pages of allowed origins',
  async () => {
    const allowed = 'https://chat.example.com';
    const url = await serveOutside([allowed]);
    for (const headers of [
      {},
      { Host: 'gateway.internal' },
      rebound(url.origin),
      { Origin: allowed },
      rebound(allowed),
    ]) {
      expect((await post(url.href, initializeText(), headers)).status).toBe(200);
    }
  },
);
