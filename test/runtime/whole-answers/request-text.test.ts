/** `requestText`, against raw servers: it reads the whole response, and trusts only the given certificate authorities. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import type { TrustPlan } from '#schemas';
import { createHttpClient, type HttpClientOptions } from '../../../runtime/http/client.ts';
import { requestText } from '../../../runtime/http/request-text.ts';
import { type RawHandler, startRawServer } from '../../support/raw-server.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../../support/tls-fixture.ts';

const LIMITS = { maxBytes: 1_000, timeoutMs: 10_000 };

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(cleanUp.splice(0).map(one => one())));

function client(options: Partial<HttpClientOptions> = {}) {
  const made = createHttpClient({ addresses: 'any', ...options });
  cleanUp.push(() => made.close());
  return made;
}

async function server(handler: RawHandler) {
  const started = await startRawServer(handler);
  cleanUp.push(() => started.close());
  return started;
}

const get = (url: string) => ({ method: 'GET', url: new URL(url), headers: {} }) as const;

test('requestText posts a form and returns the whole answer, with any status', async () => {
  const peer = await server((request, response) => {
    response.writeHead(400, { 'content-type': 'application/json', 'x-more': 'yes' });
    response.write('{"method":');
    response.end(
      `${JSON.stringify(request.method)},"type":"${request.headers['content-type']}","ü":"${request.body}"}`,
    );
  });
  const answer = await requestText(
    client(),
    {
      method: 'POST',
      url: new URL(`${peer.origin}/token?a=b`),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    },
    LIMITS,
  );
  expect(answer).toMatchObject({
    status: 400,
    headers: { 'x-more': 'yes' },
    body: '{"method":"POST","type":"application/x-www-form-urlencoded","ü":"grant_type=client_credentials"}',
  });
  expect(peer.requests[0]?.path).toBe('/token?a=b');
});

describe('without a complete answer', () => {
  const SILENT: RawHandler = () => {};
  test.each<[string, RawHandler, Partial<typeof LIMITS>, string, string]>([
    ['too large', (_, res) => void res.end('x'.repeat(1_001)), {}, 'too_large', 'more than 1000 bytes'],
    [
      'endless',
      (_, res) => {
        const timer = setInterval(() => res.write('x'.repeat(100)), 1);
        res.on('close', () => clearInterval(timer));
      },
      {},
      'too_large',
      'more than 1000 bytes',
    ],
    ['silent', SILENT, { timeoutMs: 50 }, 'timeout', 'no complete answer within 50 ms'],
    ['stalling', (_, res) => void res.write('half'), { timeoutMs: 50 }, 'timeout', 'no complete answer within 50 ms'],
    ['broken', (_, res) => void res.destroy(), {}, 'connection_failed', '(UND_ERR_SOCKET)'],
    ['not UTF-8', (_, res) => void res.end(Buffer.from([0xff])), {}, 'not_utf8', 'not UTF-8'],
  ])(
    'requestText rejects an answer that is %s, with the URL without its query and the cause',
    async (_name, handler, limits, reason, cause) => {
      const peer = await server(handler);
      const asked = requestText(client(), get(`${peer.origin}/path?token=SECRET`), { ...LIMITS, ...limits });
      await expect(asked).rejects.toMatchObject({ name: 'RequestError', reason });
      await expect(asked).rejects.toThrow(`${peer.origin}/path: `);
      await expect(asked).rejects.toThrow(cause);
      await expect(asked).rejects.not.toThrow('SECRET');
    },
  );

  test('requestText rejects an answer with a too large Content-Length before the body arrives', async () => {
    const peer = await server((_, res) => void res.writeHead(200, { 'content-length': '1001' }).write('x'));
    await expect(requestText(client(), get(peer.origin), LIMITS)).rejects.toMatchObject({ reason: 'too_large' });
  });

  test('requestText rejects a request that is aborted before it begins or while it waits', async () => {
    const peer = await server(SILENT);
    const stop = new AbortController();
    const asked = requestText(client(), get(peer.origin), { ...LIMITS, signal: stop.signal });
    await peer.waitFor(() => true);
    stop.abort();
    await expect(asked).rejects.toMatchObject({ reason: 'aborted' });
    await expect(requestText(client(), get(peer.origin), { ...LIMITS, signal: stop.signal })).rejects.toMatchObject({
      reason: 'aborted',
    });
    expect(peer.requests).toHaveLength(1);
  });

  test('requestText rejects an answer that is not HTTP', async () => {
    const tcp = createTcpServer(socket => void socket.resume().end('SSH-2.0-OpenSSH\r\n'));
    await new Promise<void>(resolve => tcp.listen(0, '127.0.0.1', resolve));
    cleanUp.push(() => new Promise(resolve => tcp.close(resolve)));
    const asked = requestText(client(), get(`http://127.0.0.1:${(tcp.address() as AddressInfo).port}/`), LIMITS);
    await expect(asked).rejects.toMatchObject({ reason: 'not_http' });
  });

  test('requestText rejects a request to an address that is not allowed', async () => {
    const peer = await server((_, res) => void res.end());
    const asked = requestText(client({ addresses: 'public' }), get(peer.origin), LIMITS);
    await expect(asked).rejects.toMatchObject({ reason: 'address_refused' });
    expect(peer.connections).toBe(0);
  });

  test('requestText rejects a request of a closed client', async () => {
    const closed = client();
    await closed.close();
    await expect(requestText(closed, get('http://127.0.0.1:9'), LIMITS)).rejects.toMatchObject({
      reason: 'connection_failed',
    });
  });
});

test('requestText returns a redirect to another origin as the answer, and does not follow it', async () => {
  const other = await server((_, res) => void res.end());
  const peer = await server((_, res) => void res.writeHead(302, { location: `${other.origin}/` }).end());
  expect((await requestText(client(), get(peer.origin), LIMITS)).status).toBe(302);
  expect(other.connections).toBe(0);
});

describe('certificate authorities', () => {
  async function secureServer(): Promise<string> {
    const https = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_request, response) => response.end('safe'));
    await new Promise<void>(resolve => https.listen(0, '127.0.0.1', resolve));
    cleanUp.push(async () => {
      https.closeAllConnections();
      await new Promise(resolve => https.close(resolve));
    });
    return `https://localhost:${(https.address() as AddressInfo).port}/`;
  }

  async function file(content: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-trust-'));
    cleanUp.push(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'ca.pem'), content);
    return join(folder, 'ca.pem');
  }

  const ask = async (trust: TrustPlan, url: string) => (await requestText(client({ trust }), get(url), LIMITS)).body;

  test.each([true, false])(
    'requestText trusts the authorities in a file, in place of the usual authorities: %s',
    async replaces => {
      const path = await file(TEST_CERTIFICATE);
      expect(await ask({ type: 'file', path, replaces }, await secureServer())).toBe('safe');
    },
  );

  test('requestText trusts authorities that are given as text, in place of the usual authorities', async () => {
    expect(await ask({ type: 'pem', pem: TEST_CERTIFICATE, replaces: true }, await secureServer())).toBe('safe');
  });

  test('requestText trusts the authorities in a rotated file from the next connection on', async () => {
    const path = await file(tls.rootCertificates[0] as string);
    const url = await secureServer();
    const same = client({ trust: { type: 'file', path, replaces: true } });
    await expect(requestText(same, get(url), LIMITS)).rejects.toThrow('(DEPTH_ZERO_SELF_SIGNED_CERT)');
    await writeFile(path, TEST_CERTIFICATE);
    expect((await requestText(same, get(url), LIMITS)).body).toBe('safe');
  });

  test.each([
    ['that is missing', undefined, 'cannot be read (ENOENT)'],
    ['without a certificate', 'nothing', 'holds no PEM certificate'],
  ])('requestText fails with the name of an authority file %s', async (_name, content, cause) => {
    const path = content === undefined ? '/nowhere/ca.pem' : await file(content);
    const asked = ask({ type: 'file', path, replaces: false }, await secureServer());
    await expect(asked).rejects.toMatchObject({ reason: 'untrusted' });
    await expect(asked).rejects.toThrow(`in ${path} cannot be used: the file ${cause}`);
  });
});
