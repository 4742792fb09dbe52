import { expect, test } from 'vitest';
import { type Credential, prepareQuery, type StaticHeader } from '../../../compiler/analysis/catalog/index.ts';
import { planFor } from '../../runtime/backend-edge/harness.ts';

const ENV: { readonly [name: string]: string } = { KEY: 'k-secret', LINES: 'a\r\nX-Evil: 1', EMPTY: '' };

function ask(credential: Credential, more: { token?: string; url?: string; own?: string; isInPod?: boolean } = {}) {
  const { own = 'https://x.example.com/mcp', isInPod = false, token, url } = more;
  const plan = { ...planFor(own), addresses: 'public' as const, caPem: 'PEM' };
  const env = (name: string) => ENV[name];
  return prepareQuery({ key: 'k', plan, credential, isInPod }, { token, url, deadlineMs: 9, env });
}

function headers(...list: readonly StaticHeader[]): Credential {
  return { type: 'headers', headers: list };
}
const fromEnv = (name: string, env: string): StaticHeader => ({ name, value: { env }, isSecret: true });
const plain = (name: string, literal: string): StaticHeader => ({ name, value: { literal }, isSecret: false });

test('lintel lock sends the headers of a backend, and marks the secret headers that a response must not contain', () => {
  expect(ask(headers(fromEnv('X-Key', 'KEY'), plain('X-Team', 'eng')))).toEqual({
    question: {
      key: 'k',
      url: 'https://x.example.com/mcp',
      transport: 'streamable-http',
      addresses: 'public',
      caPem: 'PEM',
      headers: [
        { name: 'X-Key', value: 'k-secret' },
        { name: 'X-Team', value: 'eng' },
      ],
      timeoutMs: 60_000,
      deadlineMs: 9,
    },
    secrets: ['k-secret'],
  });
});

test('lintel lock sends the token of --token in place of the configured credential, and the URL of --url may have any address', () => {
  const asked = ask({ type: 'other', reason: 'xaa' }, { token: 't', url: 'http://localhost:1/mcp' });
  expect(asked).toMatchObject({
    question: {
      url: 'http://localhost:1/mcp',
      addresses: 'any',
      headers: [{ name: 'authorization', value: 'Bearer t' }],
    },
    secrets: ['t'],
  });
});

test.each([
  [
    'a credential that is no static header',
    { type: 'other', reason: 'xaa' },
    'its credential is not a static header (xaa): give one with --token',
  ],
  [
    'a header from an unset variable',
    headers(fromEnv('X-Key', 'NOPE')),
    'header X-Key needs the environment variable NOPE, allowed by --env NOPE, or give --token',
    { variable: 'NOPE', use: 'X-Key of peer' },
  ],
  [
    'a header from an empty variable',
    headers(fromEnv('X-Key', 'EMPTY')),
    'header X-Key needs the environment variable EMPTY, allowed by --env EMPTY, or give --token',
    { variable: 'EMPTY', use: 'X-Key of peer' },
  ],
  [
    'a header value with a line break',
    headers(fromEnv('X-Key', 'LINES')),
    'header "X-Key" cannot be sent: its name or its value is not allowed',
  ],
  [
    'a header name with a space',
    headers(plain('X Key', 'a')),
    'header "X Key" cannot be sent: its name or its value is not allowed',
  ],
  [
    'the header Host',
    headers(plain('Host', 'a')),
    'header "Host" cannot be sent: its name or its value is not allowed',
  ],
] as const)('lintel lock cannot query a backend with %s', (_, credential, reason, missing = undefined) => {
  expect(ask(credential)).toEqual({ reason, ...(missing === undefined ? {} : { missing: [missing] }) });
});

test.each(['', 'x', 'ftp://x/mcp', 'https://', 'file:///etc/passwd'])(
  'lintel lock does not query a backend with the URL %j',
  own => {
    expect(ask(headers(), { own })).toEqual({ reason: 'its URL is not an http or https URL: see `lintel check`' });
  },
);

test('lintel lock can query a server that listens only inside of its pod only if --url gives the URL of a forwarded port', () => {
  expect(ask(headers(), { isInPod: true, own: 'http://127.0.0.1:8080/mcp' })).toEqual({
    reason: expect.stringMatching(/forward port 8080 of the pod, .* such as \S+=http:\/\/127\.0\.0\.1:8080\/mcp$/),
  });
  const url = 'http://127.0.0.1:9000/mcp';
  expect(ask(headers(), { isInPod: true, url })).toMatchObject({ question: { url, addresses: 'any' } });
});
