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
])('a request with the Host header %s is accepted', host => {
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
])('a request with the Host header %j is refused', host => {
  expect(validateHost(['Host', host])).toBe('an invalid Host header');
});

test.each([
  ['two equal headers', ['Host', 'a', 'Host', 'a']],
  ['two different headers', ['Host', 'a', 'Accept', '*/*', 'host', 'b']],
  ['the second header is empty', ['Host', 'a', 'HOST', '']],
  ['three headers', ['host', 'a', 'host', 'a', 'host', 'a']],
])('a request with several Host headers is refused: %s', (_, rawHeaders) => {
  expect(validateHost(rawHeaders)).toBe('several Host headers');
});

test('the check of the Host header does not refuse a request without a Host header', () => {
  expect(validateHost(['Accept', '*/*'])).toBeUndefined();
});
