import { expect, test } from 'vitest';
import { validateHost } from '#schemas';

test.each([
  'localhost',
  'gateway.example.com',
  'gateway.example.com.',
  'Gateway_1.svc:4483',
  '127.0.0.1:80',
  '[::1]:4483',
  '[::ffff:127.0.0.1]',
  'xn--bcher-kva.example',
  'a%20b',
  'host:',
])('%s is a host', host => {
  expect(validateHost(['Accept', '*/*', 'hOsT', host, 'X-Host', 'b'])).toBeUndefined();
});

test.each([
  '',
  ':80',
  'a b',
  'a, b',
  'a,b',
  'a/b',
  'user@a',
  'a?b',
  'a#b',
  'a:b',
  'a:80:80',
  'a:123456',
  'http://a',
  '[::1',
  '::1',
  '[fe80::1%eth0]',
  'a%2',
  'bücher.example',
  'a\tb',
  'a\u0000',
])('%j is refused as a host', host => {
  expect(validateHost(['Host', host])).toBe('an invalid Host header');
});

test.each([
  ['two of the same', ['Host', 'a', 'Host', 'a']],
  ['two others', ['Host', 'a', 'Accept', '*/*', 'host', 'b']],
  ['one that is empty', ['Host', 'a', 'HOST', '']],
  ['three', ['host', 'a', 'host', 'a', 'host', 'a']],
])('%s', (_, rawHeaders) => {
  expect(validateHost(rawHeaders)).toBe('several Host headers');
});

test('a missing Host is left to the check of the HTTP version', () => {
  expect(validateHost(['Accept', '*/*'])).toBeUndefined();
});
