import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Credential, CredentialError } from '../../../../runtime/auth/outgoing/credential.ts';
import { mergeHeaders, withCredential } from '../../../../runtime/auth/outgoing/credential-sender.ts';
import { createHttpClient } from '../../../../runtime/http/client.ts';
import { startExchange, toHttpTarget } from '../../../../runtime/http/exchange.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

interface Seen {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A backend that responds with the statuses in turn, the last one forever. */
async function backend(
  statuses: readonly number[],
  more: { readonly refusal?: string; readonly location?: string } = {},
): Promise<{ url: URL; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server: Server = createServer((req, res) => {
    let body = '';
    req.on('data', chunk => {
      body += chunk;
    });
    req.on('end', () => {
      const status = statuses[Math.min(seen.length, statuses.length - 1)] as number;
      seen.push({ url: req.url ?? '', headers: req.headers, body });
      res.writeHead(status, status === 307 ? { location: more.location } : {});
      res.end(status === 200 ? 'fine' : (more.refusal ?? 'no'));
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => new Promise(resolve => server.close(resolve)));
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?x=1`), seen };
}

/** Issues `t1`, `t2`, … and a new one after a refusal, up to `renewals` times. */
function credentialOwner(renewals: number, isLate = false): Credential & { readonly refused: (readonly string[])[] } {
  const refused: (readonly string[])[] = [];
  let current = ['authorization', 'Bearer t1'];
  return {
    refused,
    getHeaders: () => (isLate ? Promise.resolve(current) : current),
    rejected: headers => {
      refused.push(headers);
      if (refused.length > renewals) return false;
      current = ['authorization', `Bearer t${refused.length + 1}`];
      return true;
    },
  };
}

function send(
  url: URL,
  credential: Credential,
  options: { readonly forwarded?: readonly string[]; readonly headers?: string[] } = {},
): Promise<{ status: number; body: string } | { error: unknown }> {
  const pool = createHttpClient({ addresses: 'any' });
  closers.push(() => pool.close());
  const client = withCredential(pool, () => ({ credential, forwarded: () => options.forwarded ?? [] }));
  return new Promise(resolve => {
    let status = 0;
    let body = '';
    startExchange(
      client.requests,
      { target: toHttpTarget(url), method: 'POST', headers: options.headers ?? [], body: '{"a":1}' },
      {
        head: code => {
          status = code;
        },
        data: chunk => {
          body += chunk.toString();
        },
        end: () => resolve({ status, body }),
        failed: error => resolve({ error }),
      },
    );
  });
}

describe.each([false, true])('a credential that is obtained asynchronously: %s', isLate => {
  test('the gateway sends its credential in place of an Authorization header of the caller', async () => {
    const { url, seen } = await backend([200]);
    const answer = await send(url, credentialOwner(0, isLate), {
      headers: ['Authorization', 'of the caller', 'x-a', '1'],
    });
    expect(answer).toEqual({ status: 200, body: 'fine' });
    expect(seen[0]).toMatchObject({
      url: '/mcp?x=1',
      headers: { authorization: 'Bearer t1', 'x-a': '1' },
      body: '{"a":1}',
    });
  });

  test('when a backend answers 401, the gateway renews the credential and sends the whole request once more', async () => {
    const { url, seen } = await backend([401, 200]);
    const credential = credentialOwner(1, isLate);
    expect(await send(url, credential)).toEqual({ status: 200, body: 'fine' });
    expect(seen.map(({ headers, body }) => [headers.authorization, body])).toEqual([
      ['Bearer t1', '{"a":1}'],
      ['Bearer t2', '{"a":1}'],
    ]);
    expect(credential.refused).toEqual([['authorization', 'Bearer t1']]);
  });

  test('the gateway renews the credential of one request at most once', async () => {
    const { url, seen } = await backend([401]);
    expect(await send(url, credentialOwner(9, isLate))).toEqual({ status: 401, body: 'no' });
    expect(seen).toHaveLength(2);
  });

  test('the client gets the 401 of the backend when the gateway cannot renew the credential', async () => {
    const { url, seen } = await backend([401]);
    expect(await send(url, credentialOwner(0, isLate))).toEqual({ status: 401, body: 'no' });
    expect(seen).toHaveLength(1);
  });

  test('after a 401 whose body never ends, the gateway still renews the credential and sends the request again', async () => {
    const { url, seen } = await backend([401, 200], { refusal: 'x'.repeat(1024 * 1024) });
    expect(await send(url, credentialOwner(1, isLate))).toEqual({ status: 200, body: 'fine' });
    expect(seen).toHaveLength(2);
  });

  test('the gateway sends the credential again when it follows a redirect of the backend to the same host', async () => {
    const { url, seen } = await backend([307, 200], { location: '/other' });
    expect(await send(url, credentialOwner(0, isLate))).toEqual({ status: 200, body: 'fine' });
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/mcp?x=1', 'Bearer t1'],
      ['/other', 'Bearer t1'],
    ]);
  });
});

test.each([
  [
    'thrown',
    () => {
      throw new CredentialError('caller', 'log in again');
    },
  ],
  ['rejected', () => Promise.reject(new CredentialError('caller', 'log in again'))],
])('a request fails before it is sent when its credential cannot be obtained (%s)', async (_how, headersFor) => {
  const { url, seen } = await backend([200]);
  const answer = await send(url, { getHeaders: headersFor, rejected: () => false });
  expect(answer).toEqual({ error: expect.objectContaining({ name: 'CredentialError', message: 'log in again' }) });
  expect(seen).toEqual([]);
});

test.each([
  [['a', '1'], [], [], ['a', '1']],
  [
    ['A', '1'],
    ['a', '2'],
    ['a', '3'],
    ['a', '2'],
  ],
  [['a', '1'], [], ['A', '3', 'b', '4'], ['a', '1', 'b', '4']],
  [
    ['a', '1'],
    ['authorization', 'x'],
    ['Authorization', 'y'],
    ['authorization', 'x', 'a', '1'],
  ],
  [['a', '1', 'a', '2'], [], [], ['a', '1', 'a', '2']],
  [['a', '1', 'a', '2'], ['b', '3'], [], ['b', '3', 'a', '1', 'a', '2']],
])(
  'the gateway merges its own headers %j, the credential %j and the forwarded headers %j, and the credential wins',
  (own, credential, forwarded, expected) => {
    expect(mergeHeaders(own, credential, forwarded)).toEqual(expected);
  },
);
