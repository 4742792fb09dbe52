import { expect, test } from 'vitest';
import { isHostAllowed, isOriginAllowed } from '../../../runtime/http/origin.ts';

const rows: readonly [origin: string | undefined, host: string | undefined, localAddress: string, allowed: boolean][] =
  [
    [undefined, 'gw:4483', '10.0.0.5', true],
    ['http://gw:4483', 'gw:4483', '10.0.0.5', true],
    ['https://gw.example.com', 'gw.example.com', '10.0.0.5', true],
    ['https://gw.example.com', 'gw.example.com:443', '10.0.0.5', true],
    ['https://gw.example.com:8443', 'gw.example.com', '10.0.0.5', false],
    ['https://other.example.com', 'gw.example.com', '10.0.0.5', false],
    ['http://localhost:3000', 'gw:4483', '10.0.0.5', false],
    ['http://gw:4483', undefined, '10.0.0.5', false],
    ['http://gw:4483/path', 'gw:4483', '10.0.0.5', false],
    ['http://user@gw:4483', 'gw:4483', '10.0.0.5', false],
    ['null', 'null', '10.0.0.5', false],
    ['', 'gw:4483', '10.0.0.5', false],
    ['http://localhost:6274', 'localhost:4483', '127.0.0.1', true],
    ['http://127.0.0.1:6274', '127.0.0.1:4483', '::ffff:127.0.0.1', true],
    ['http://[::1]:6274', '[::1]:4483', '::1', true],
    ['http://app.localhost', 'localhost:4483', '127.0.0.1', true],
    // DNS rebinding: the attacker's name resolves to this machine, so Origin and Host agree.
    ['http://evil.example.com:4483', 'evil.example.com:4483', '127.0.0.1', false],
    ['http://localhost.evil.example.com', 'localhost:4483', '127.0.0.1', false],
    ['https://listed.example.com', 'gw:4483', '127.0.0.1', true],
  ];

test.each(rows)('origin %s, host %s, on %s: %s', (origin, host, localAddress, expected) => {
  expect(isOriginAllowed(origin, { host, localAddress, allowed: ['https://listed.example.com'] })).toBe(expected);
});

const hosts: readonly [host: string | undefined, localAddress: string, allowed: boolean][] = [
  ['localhost', '127.0.0.1', true],
  ['localhost:4483', '::ffff:127.0.0.1', true],
  ['LocalHost:4483', '127.0.0.1', true],
  ['127.0.0.1:4483', '127.0.0.1', true],
  ['127.8.9.1', '127.0.0.1', true],
  ['[::1]:4483', '::1', true],
  ['app.localhost:4483', '127.0.0.1', true],
  ['listed.example.com', '127.0.0.1', true],
  ['listed.example.com:4483', '127.0.0.1', true],
  ['evil.example.com', '127.0.0.1', false],
  ['evil.example.com:4483', '::1', false],
  ['localhost.evil.example.com', '127.0.0.1', false],
  ['127.0.0.1.evil.example.com', '127.0.0.1', false],
  ['localhost:4483@evil.example.com', '127.0.0.1', false],
  ['evil.example.com#localhost', '127.0.0.1', false],
  ['192.168.0.7:4483', '127.0.0.1', false],
  ['', '127.0.0.1', false],
  [undefined, '127.0.0.1', false],
  // On other addresses a name is the operator's business: proxies and Services have names of their own.
  ['gw.example.com', '10.0.0.5', true],
  [undefined, '10.0.0.5', true],
];

test.each(hosts)('host %s, on %s: %s', (host, localAddress, expected) => {
  expect(isHostAllowed({ host, localAddress, allowed: ['https://listed.example.com'] })).toBe(expected);
});
