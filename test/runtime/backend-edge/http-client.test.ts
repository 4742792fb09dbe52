/** How the gateway's HTTP client for backends is created, and how it makes a single request, with raw servers. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpClient } from '../../../runtime/http/client.ts';
import { type Exchange, type HttpRequest, startExchange } from '../../../runtime/http/exchange.ts';
import { listTrustedCertificates, withAdditionalCa } from '../../../runtime/http/tls-trust.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';
import { Edge, eventually } from './harness.ts';

const edge = new Edge();
afterEach(() => edge.dispose());

interface Outcome {
  status: number;
  body: string;
  error: (Error & { code?: string }) | undefined;
}

function fetchText(
  client: HttpClient,
  request: HttpRequest,
  onHead?: (exchange: () => Exchange) => void,
): Promise<Outcome> {
  return new Promise(resolve => {
    const outcome: Outcome = { status: 0, body: '', error: undefined };
    const exchange: Exchange = startExchange(client.requests, request, {
      head(status: number, _headers: IncomingHttpHeaders) {
        outcome.status = status;
        onHead?.(() => exchange);
      },
      data(chunk) {
        outcome.body += chunk;
      },
      end: () => resolve(outcome),
      failed: error => resolve({ ...outcome, error }),
    });
  });
}

const get = (origin: string, path = '/'): HttpRequest => ({ target: { origin, path }, method: 'GET', headers: [] });

describe('addresses', () => {
  test.each([
    ['an IPv4 literal', 'http://127.0.0.1', 'private'],
    ['an IPv6 literal', 'http://[::1]', 'private'],
    ['an IPv4-mapped IPv6 literal', 'http://[::ffff:127.0.0.1]', 'public'],
    ['a decimal literal', new URL('http://2130706433').origin, 'public'],
    ['a cloud metadata address', 'http://169.254.169.254', 'private'],
    ['a denied name', 'http://localhost', 'private'],
    ['a private address', 'http://10.0.0.1', 'public'],
    ['loopback over TLS', 'https://127.0.0.1', 'public'],
  ] as const)('the HTTP client refuses the address before it connects: %s', async (_name, origin, addresses) => {
    const server = await edge.server(startRawServer((_request, response) => void response.end()));
    const { error } = await fetchText(edge.client({ addresses }), get(`${origin}:${server.port}`));
    expect(error).toMatchObject({ name: 'AddressRefusedError', code: 'ERR_HTTP_ADDRESS_REFUSED' });
    expect(server.connections).toBe(0);
  });

  test('the HTTP client connects to localhost when its address policy allows any address', async () => {
    const server = await edge.server(startRawServer((_request, response) => void response.end('here')));
    const outcome = await fetchText(edge.client(), get(`http://localhost:${server.port}`));
    expect(outcome).toMatchObject({ status: 200, body: 'here' });
  });
});

describe('redirects', () => {
  const post = (origin: string): HttpRequest => ({
    target: { origin, path: '/hop/0?a=1' },
    method: 'POST',
    headers: ['x-mine', 'kept'],
    body: 'text',
  });

  /** Redirects `hops` times, then responds with the request that arrived. */
  function hopping(hops: number, status: number) {
    return startRawServer((request, response) => {
      const hop = Number(/\d+/.exec(request.path)?.[0]);
      if (hop < hops) response.writeHead(status, { location: `/hop/${hop + 1}?b=2` }).end('moved');
      else response.end(`${request.method} ${request.path} ${request.headers['x-mine']} ${request.body}`);
    });
  }

  test.each([307, 308])(
    'the HTTP client follows up to three redirects with %i, and keeps method, headers and body',
    async status => {
      const server = await edge.server(hopping(3, status));
      const outcome = await fetchText(edge.client(), post(server.origin));
      expect(outcome).toMatchObject({ status: 200, body: 'POST /hop/3?b=2 kept text' });
    },
  );

  test('the HTTP client returns the fourth redirect as the answer', async () => {
    const server = await edge.server(hopping(4, 307));
    expect((await fetchText(edge.client(), post(server.origin))).status).toBe(307);
    expect(server.requests).toHaveLength(4);
  });

  test.each([301, 302, 303])(
    'the HTTP client follows a redirect with %i for a GET, but returns it as the answer to a POST',
    async status => {
      const server = await edge.server(hopping(1, status));
      const client = edge.client();
      expect((await fetchText(client, post(server.origin))).status).toBe(status);
      expect((await fetchText(client, get(server.origin, '/hop/0'))).status).toBe(200);
    },
  );

  test('the HTTP client follows no redirect to another host, port or scheme', async () => {
    const other = await edge.server(startRawServer((_request, response) => void response.end()));
    for (const location of [
      other.origin,
      `http://localhost:${other.port}`,
      `https://127.0.0.1:${other.port}`,
      'http://[',
    ]) {
      const server = await edge.server(
        startRawServer((_request, response) => void response.writeHead(307, { location }).end()),
      );
      expect((await fetchText(edge.client(), get(server.origin))).status).toBe(307);
    }
    expect(other.connections).toBe(0);
  });

  test('the HTTP client aborts a redirect with an endless body', async () => {
    const server = await edge.server(
      startRawServer((_request, response) => {
        response.writeHead(307, { location: '/' });
        const timer = setInterval(() => response.write(Buffer.alloc(32 * 1024)), 1);
        response.on('close', () => clearInterval(timer));
      }),
    );
    expect((await fetchText(edge.client(), get(server.origin))).error?.message).toBe(
      'the body of a redirect is too long',
    );
  });
});

describe('trusted certificates', () => {
  async function secureServer() {
    const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_request, response) =>
      response.end('safe'),
    );
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    await edge.server(
      Promise.resolve({
        async close() {
          server.closeAllConnections();
          await new Promise(resolve => server.close(resolve));
        },
      }),
    );
    return get(`https://localhost:${(server.address() as AddressInfo).port}`);
  }

  test('the HTTP client trusts the given certificates', async () => {
    const outcome = await fetchText(
      edge.client({ trust: withAdditionalCa({ caPem: TEST_CERTIFICATE }) }),
      await secureServer(),
    );
    expect(outcome).toMatchObject({ status: 200, body: 'safe' });
  });

  test('the HTTP client trusts the certificates in a file, and later the certificates that replace them', async () => {
    const caFile = join(mkdtempSync(join(tmpdir(), 'lintel-ca-')), 'ca.crt');
    const client = edge.client({ trust: withAdditionalCa({ caFile }) });
    const url = await secureServer();
    expect((await fetchText(client, url)).error?.message).toContain('ca.crt');
    writeFileSync(caFile, TEST_CERTIFICATE);
    expect(await fetchText(client, url)).toMatchObject({ status: 200, body: 'safe' });
  });

  test('the HTTP client trusts the certificates that it is given in addition to the default certificates', () => {
    const trusted = listTrustedCertificates(TEST_CERTIFICATE, false);
    expect(trusted.at(-1)).toBe(TEST_CERTIFICATE);
    expect(trusted.length).toBeGreaterThan(50);
  });

  test('the HTTP client refuses a self-signed certificate that it was not given', async () => {
    const outcome = await fetchText(edge.client(), await secureServer());
    expect(outcome.error?.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  });
});

describe('connections', () => {
  test('the HTTP client reuses its connections, and opens no more of them than its limit', async () => {
    const server = await edge.server(startRawServer((_request, response) => void setTimeout(() => response.end(), 5)));
    const client = edge.client({ connections: 2 });
    await Promise.all(Array.from({ length: 10 }, () => fetchText(client, get(server.origin))));
    expect(server.requests).toHaveLength(10);
    expect(server.connections).toBe(2);
  });

  test('the HTTP client reuses a connection when a response that it discarded ends soon afterwards', async () => {
    const server = await edge.server(
      startRawServer((_request, response) => {
        response.write('head');
        setTimeout(() => response.end('rest'), 20);
      }),
    );
    const client = edge.client({ connections: 1 });
    void fetchText(client, get(server.origin), exchange => queueMicrotask(() => exchange().discard()));
    await eventually(() => server.requests.length === 1);
    await fetchText(client, get(server.origin));
    expect(server.connections).toBe(1);
  });

  test('a request that is aborted while it waits for a connection is not sent', async () => {
    const server = await edge.server(
      startRawServer((request, response) => void setTimeout(() => response.end(), request.path === '/first' ? 50 : 0)),
    );
    const client = edge.client({ connections: 1 });
    const first = fetchText(client, get(server.origin, '/first'));
    const nobody = { head() {}, data() {}, end() {}, failed() {} };
    startExchange(client.requests, get(server.origin, '/second'), nobody).abort();
    await first;
    await fetchText(client, get(server.origin, '/third'));
    expect(server.requests.map(request => request.path)).toEqual(['/first', '/third']);
  });

  test('a request fails when its HTTP client is closed', async () => {
    const client = edge.client();
    await client.close();
    expect((await fetchText(client, get('http://127.0.0.1:9'))).error?.code).toBe('UND_ERR_DESTROYED');
  });
});
