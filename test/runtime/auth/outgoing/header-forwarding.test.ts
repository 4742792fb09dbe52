/** Headers besides the credential: which are forwarded, which never are, and which setting wins. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeHeaders } from '../../../../runtime/auth/outgoing/credential-sender.ts';
import { createHeaderForwarding } from '../../../../runtime/auth/outgoing/header-forwarding.ts';
import type { ForwardedHeaderPlan } from '../../../../schemas/index.ts';
import { secret } from './harness.ts';

const text = (name: string, value: string): ForwardedHeaderPlan => ({ name, value: { type: 'text', text: value } });
const hidden = (name: string): ForwardedHeaderPlan => ({ name, value: { type: 'secret', from: secret('KEY') } });

function forwarding(fixed: readonly ForwardedHeaderPlan[], passthrough: readonly string[] = [], key = { value: 'k1' }) {
  return createHeaderForwarding(fixed, passthrough, () => key);
}

test('the gateway forwards only the headers of a client that the plan lists, in upper or lower case', () => {
  const received = { 'x-tenant': 'acme', 'x-other': 'no', authorization: 'Bearer t', cookie: 'c', 'x-trace': 'a, b' };
  const { getHeaders } = forwarding([], ['X-Tenant', 'x-trace', 'X-Missing']);
  expect(getHeaders(received)).toEqual(['X-Tenant', 'acme', 'x-trace', 'a, b']);
  expect(getHeaders(undefined)).toEqual([]);
});

test('every request to a backend has the headers that the plan sets, with the present values of their secrets', () => {
  const key = { value: 'k1' };
  const { getHeaders } = forwarding([text('X-Env', 'prod'), hidden('X-Key')], ['X-Tenant'], key);
  expect(getHeaders(undefined)).toEqual(['X-Env', 'prod', 'X-Key', 'k1']);
  key.value = 'k2';
  expect(getHeaders({ 'x-tenant': 'acme' })).toEqual(['X-Env', 'prod', 'X-Key', 'k2', 'X-Tenant', 'acme']);
});

const RESTRICTED = [
  'Host',
  'Connection',
  'Keep-Alive',
  'Te',
  'Trailer',
  'Upgrade',
  'Http2-Settings',
  'Proxy-Authorization',
  'Proxy-Authenticate',
  'Proxy-Connection',
  'Transfer-Encoding',
  'Content-Length',
  'Forwarded',
  'X-Forwarded-For',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Real-Ip',
];

describe('names', () => {
  test.each([...RESTRICTED, ...RESTRICTED.map(name => name.toLowerCase())])(
    'the gateway refuses a plan that sets or forwards %s, since this header belongs to a single connection',
    name => {
      const message = `the header "${name}" cannot be forwarded: it belongs to one connection`;
      expect(() => forwarding([text(name, 'v')])).toThrow(message);
      expect(() => forwarding([], [name])).toThrow(message);
    },
  );

  test.each([
    'Accept',
    'accept-encoding',
    'Content-Encoding',
    'content-type',
    'Expect',
    'Last-Event-ID',
    'Mcp-Method',
    'Mcp-Name',
    'Mcp-Param-Region',
    'MCP-Protocol-Version',
    'mcp-session-id',
  ])('the gateway refuses a plan that sets or forwards %s, since this header belongs to HTTP or MCP', name => {
    const message = `the header "${name}" cannot be forwarded: it belongs to the protocol`;
    expect(() => forwarding([text(name, 'v')])).toThrow(message);
    expect(() => forwarding([], [name])).toThrow(message);
  });

  test.each(['Authorization', 'authorization', 'Cookie', 'COOKIE'])(
    'a plan may set %s to a fixed value, and may not forward it from the client',
    name => {
      expect(() => forwarding([], [name])).toThrow('it carries the credentials of the caller');
      expect(forwarding([text(name, 'v')]).getHeaders(undefined)).toEqual([name, 'v']);
    },
  );

  test.each(['', 'X Y', 'X-Y:', 'X\r\nY', 'Ü'])(
    'the gateway refuses a plan that sets or forwards a header named %j',
    name => {
      expect(() => forwarding([text(name, 'v')])).toThrow('it is not the name of a header');
      expect(() => forwarding([], [name])).toThrow('it is not the name of a header');
    },
  );

  test.each([
    ['fixed twice', [text('X-A', '1'), text('x-a', '2')], []],
    ['forwarded twice', [], ['X-A', 'x-a']],
    ['fixed and forwarded', [text('X-A', '1')], ['x-a']],
  ])('the gateway refuses a plan that gives two values to a header: %s', (_, fixed, passthrough) => {
    expect(() => forwarding(fixed, passthrough)).toThrow('cannot be forwarded: it is set twice');
  });
});

describe('header values', () => {
  const problem = 'the header "X-A" cannot be forwarded: its value contains a line break or another control character';
  test.each(['a\nb', 'a\rb', 'a\r\nX-Admin: 1', 'a\0', '\x7f', 'ü€'])(
    'the gateway refuses the header value %j, also after a rotation',
    value => {
      expect(() => forwarding([text('X-A', value)])).toThrow(problem);
      expect(() => forwarding([hidden('X-A')], [], { value })).toThrow(problem);
      const key = { value: 'good' };
      const { getHeaders } = forwarding([hidden('X-A')], [], key);
      key.value = value;
      expect(() => getHeaders(undefined)).toThrow(problem);
      expect(() => forwarding([], ['X-A']).getHeaders({ 'x-a': value })).toThrow(problem);
    },
  );
});

describe('precedence of headers', () => {
  const own = ['Content-Type', 'application/json', 'Mcp-Session-Id', 's1', 'Authorization', 'of the wire'];

  test('headers of a request of the gateway replace forwarded headers, and the credential replaces a header from either source', () => {
    const forwarded = ['content-type', 'text/plain', 'authorization', 'forwarded', 'X-Tenant', 'acme'];
    expect(mergeHeaders(own, ['AUTHORIZATION', 'Bearer t'], forwarded)).toEqual([
      'AUTHORIZATION',
      'Bearer t',
      'Content-Type',
      'application/json',
      'Mcp-Session-Id',
      's1',
      'X-Tenant',
      'acme',
    ]);
  });

  test('a header that a request of the gateway has twice is sent twice', () => {
    expect(mergeHeaders(['A', '1', 'a', '2'], [], ['A', '3'])).toEqual(['A', '1', 'a', '2']);
  });

  test('for any own, forwarded and credential headers, the gateway sends each name once, with the value from one of the three sources', () => {
    const name = fc.constantFrom('A', 'a', 'B', 'b', 'C', 'c');
    const headers = (value: string) =>
      fc.uniqueArray(name, { selector: n => n.toLowerCase() }).map(names => names.flatMap(n => [n, value]));
    fc.assert(
      fc.property(headers('own'), headers('forwarded'), headers('credential'), (mine, forwarded, credential) => {
        const sent = mergeHeaders(mine, credential, forwarded);
        const found = new Map<string, string>();
        for (let index = 0; index < sent.length; index += 2) {
          const key = (sent[index] ?? '').toLowerCase();
          expect(found.has(key)).toBe(false);
          found.set(key, sent[index + 1] ?? '');
        }
        const has = (list: readonly string[], key: string) =>
          list.some((n, i) => i % 2 === 0 && n.toLowerCase() === key);
        for (const key of ['a', 'b', 'c']) {
          const winner = ['credential', 'own', 'forwarded'].find(from =>
            has(from === 'own' ? mine : from === 'forwarded' ? forwarded : credential, key),
          );
          expect(found.get(key)).toBe(winner);
        }
      }),
      { seed: 7 },
    );
  });
});
