import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const UPSTREAM = '{ name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: c } }';
const storage = (redis: string) =>
  object(
    'MCPExternalAuthConfig',
    `
  type: embeddedAuthServer
  embeddedAuthServer:
    issuer: https://auth.example.com
    upstreamProviders: [${UPSTREAM}]
    storage:
      type: redis
      redis:
        aclUserConfig: { passwordSecretRef: { name: s, key: k } }
        ${redis}`,
  );
const addr = (address: string) => storage(`addr: "${address}"`);
const EXPECTED = 'expected host:port, such as "redis.example.com:6379"';

test.each(['redis:6379', 'redis.cache.svc:1', '10.0.0.1:65535', '[::1]:6379'])(
  'the rule redisAddresses accepts the address %s',
  address => {
    expect(judge('redisAddresses', addr(address))).toEqual([]);
  },
);

test.each([
  ...['redis', 'redis:', ':6379', 'redis:0', 'redis:65536', 'redis:port', '::1:6379', '[::1]', 'a b:1'],
  ...['redis://redis:6379', 'user@redis:6379', 'redis:6379/0', '[redis]:6379', ''],
])('the rule redisAddresses refuses the address %j', address => {
  expect(judge('redisAddresses', addr(address))).toEqual([`LNT1012 error 13:15 ${EXPECTED}`]);
});

test('the rule redisAddresses checks each sentinel address', () => {
  const sentinels = storage('sentinelConfig: { masterName: m, sentinelAddrs: ["a:26379", b] }');
  expect(judge('redisAddresses', sentinels)).toEqual([`LNT1012 error 13:69 ${EXPECTED}`]);
});

test.each([
  ['an address without a port', '{ provider: redis, address: redis }', [`LNT1012 error 7:47 ${EXPECTED}`]],
  [
    'a keyPrefix without a separator at its end',
    '{ provider: redis, address: "r:1", keyPrefix: a }',
    ['LNT1012 error 7:65 keyPrefix must end with ":", such as "lintel:"'],
  ],
  ['a keyPrefix with a separator at its end', '{ provider: redis, address: "r:1", keyPrefix: "a:" }', []],
  [
    'a sentinel without a port',
    '{ provider: redis, sentinelConfig: { masterName: m, sentinelAddrs: ["a:26379", b] } }',
    [`LNT1012 error 7:98 ${EXPECTED}`],
  ],
  [
    'invalid sentinel settings',
    '{ provider: redis, sentinelConfig: { masterName: "", db: -1, sentinelService: { name: "", port: 0 } } }',
    [
      'LNT1013 error 7:76 expected the number of a database, 0 or more, found -1',
      'LNT1013 error 7:68 the name of the primary is empty',
      'LNT1013 error 7:105 the name of the Service is empty',
      'LNT1013 error 7:115 expected a port from 1 to 65535, found 0',
    ],
  ],
  ['sessions in memory', '{ provider: memory, keyPrefix: a }', []],
])('the rule redisAddresses gives the expected findings for a session store with %s', (_, store, expected) => {
  expect(judge('redisAddresses', gateway(`incomingAuth: { type: anonymous }\n  sessionStorage: ${store}`))).toEqual(
    expected,
  );
});
