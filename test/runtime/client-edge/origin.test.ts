import { expect, test } from 'vitest';
import { isHostAllowed, isOriginAllowed } from '../../../runtime/http/origin-check.ts';

const KNOWN = { allowed: ['https://listed.example.com'], publicOrigin: 'https://public.example.com' };

const rows: readonly [origin: string | undefined, host: string | undefined, localAddress: string, allowed: boolean][] =
  [
    [undefined, 'gw:4483', '10.0.0.5', true],
    [undefined, 'rebound.example', '10.0.0.5', true],
    // An IP address cannot be rebound, so the page is from the server that it calls.
    ['http://10.0.0.5:4483', '10.0.0.5:4483', '10.0.0.5', true],
    ['https://10.0.0.5', '10.0.0.5:443', '10.0.0.5', true],
    ['http://[fd00::5]:4483', '[fd00::5]:4483', 'fd00::5', true],
    ['http://10.0.0.5:8080', '10.0.0.5:4483', '10.0.0.5', false],
    ['http://10.0.0.6:4483', '10.0.0.5:4483', '10.0.0.5', false],
    ['http://10.0.0.5:4483', undefined, '10.0.0.5', false],
    ['http://10.0.0.5:4483/path', '10.0.0.5:4483', '10.0.0.5', false],
    ['http://user@10.0.0.5:4483', '10.0.0.5:4483', '10.0.0.5', false],
    // A name can be rebound, wherever the gateway listens; in a container that is never loopback.
    ['http://gw:4483', 'gw:4483', '10.0.0.5', false],
    ['https://rebound.example', 'rebound.example', '10.0.0.5', false],
    ['https://rebound.example', 'rebound.example:443', '172.17.0.2', false],
    ['http://127.0.0.1.rebound.example', '127.0.0.1.rebound.example', '172.17.0.2', false],
    ['http://localhost.rebound.example', 'localhost.rebound.example', '172.17.0.2', false],
    // Unless the origin is known to be the gateway's, or is allowed; then any Host that a proxy forwards is accepted.
    ['https://public.example.com', 'public.example.com', '10.0.0.5', true],
    ['https://public.example.com', 'gw:4483', '10.0.0.5', true],
    ['https://public.example.com', 'localhost:4483', '127.0.0.1', true],
    ['https://listed.example.com', 'gw:4483', '10.0.0.5', true],
    ['http://public.example.com', 'public.example.com', '10.0.0.5', false],
    ['https://public.example.com:8443', 'public.example.com:8443', '10.0.0.5', false],
    ['https://public.example.com.rebound.example', 'public.example.com', '10.0.0.5', false],
    // A page on the machine to which the port is published.
    ['http://localhost:4483', 'localhost:4483', '172.17.0.2', true],
    ['http://127.0.0.1:4483', '127.0.0.1:4483', '172.17.0.2', true],
    ['http://localhost:3000', 'gw:4483', '10.0.0.5', false],
    ['null', 'null', '10.0.0.5', false],
    ['', '10.0.0.5:4483', '10.0.0.5', false],
    ['http://localhost:6274', 'localhost:4483', '127.0.0.1', true],
    ['http://127.0.0.1:6274', '127.0.0.1:4483', '::ffff:127.0.0.1', true],
    ['http://[::1]:6274', '[::1]:4483', '::1', true],
    ['http://app.localhost', 'localhost:4483', '127.0.0.1', true],
    // DNS rebinding: the attacker's name resolves to this machine, so Origin and Host agree.
    ['http://evil.example.com:4483', 'evil.example.com:4483', '127.0.0.1', false],
    ['http://localhost.evil.example.com', 'localhost:4483', '127.0.0.1', false],
    ['https://listed.example.com', 'gw:4483', '127.0.0.1', true],
  ];

test.each(rows)(
  'the gateway accepts a request with the Origin %s and the Host %s that arrives at the address %s: %s',
  (origin, host, localAddress, expected) => {
    expect(isOriginAllowed(origin, { host, localAddress, ...KNOWN })).toBe(expected);
  },
);

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
  ['public.example.com', '127.0.0.1', true],
  ['evil.example.com', '127.0.0.1', false],
  ['evil.example.com:4483', '::1', false],
  ['localhost.evil.example.com', '127.0.0.1', false],
  ['127.0.0.1.evil.example.com', '127.0.0.1', false],
  ['localhost:4483@evil.example.com', '127.0.0.1', false],
  ['evil.example.com#localhost', '127.0.0.1', false],
  ['192.168.0.7:4483', '127.0.0.1', false],
  ['', '127.0.0.1', false],
  [undefined, '127.0.0.1', false],
  // On other addresses the operator decides about names: proxies and Services have their own, and programs send no Origin.
  ['gw.example.com', '10.0.0.5', true],
  [undefined, '10.0.0.5', true],
];

test.each(hosts)(
  'the gateway accepts a request with the Host %s that arrives at the address %s: %s',
  (host, localAddress, expected) => {
    expect(isHostAllowed({ host, localAddress, ...KNOWN })).toBe(expected);
  },
);
