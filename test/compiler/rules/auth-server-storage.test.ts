import { expect, test } from 'vitest';
import { authServer, gatewayWithAuthServer } from '../../support/auth-server-spec.ts';
import { judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'storage in memory and each way to Redis',
    [
      gatewayWithAuthServer('storage: {}'),
      authServer(
        'storage: { type: redis, redis: { addr: redis:6379, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }',
      ),
      authServer(
        'storage: { type: redis, redis: { sentinelConfig: { masterName: m, sentinelAddrs: [s:26379] }, sentinelTls: {}, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }',
      ),
    ],
    [],
  ],
  [
    'type redis without the redis block',
    [gatewayWithAuthServer('storage: { type: redis }')],
    ['LNT1010 error 10:5 storage of type redis needs the block "redis"'],
  ],
  [
    'a redis block without type redis',
    [
      gatewayWithAuthServer(
        'storage: { redis: { addr: redis:6379, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }',
      ),
    ],
    ['LNT1008 warning 10:16 redis has no effect: storage.type is memory'],
  ],
  [
    'sentinels by address and by Service',
    [
      authServer(
        'storage: { type: redis, redis: { sentinelConfig: { masterName: m, sentinelAddrs: [s:26379], sentinelService: { name: s } }, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }',
      ),
    ],
    ['LNT1021 error 9:97 sentinelAddrs and sentinelService exclude each other'],
  ],
  [
    'no sentinel addresses, and TLS settings of sentinels that are not there',
    [
      authServer(
        'storage: { type: redis, redis: { sentinelConfig: { masterName: m }, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }',
      ),
      authServer(
        'storage: { type: redis, redis: { addr: redis:6379, sentinelTls: {}, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }',
      ),
    ],
    [
      'LNT1010 error 9:54 sentinelConfig needs sentinelAddrs or sentinelService',
      'LNT1008 warning 19:56 sentinelTls has no effect without sentinelConfig',
    ],
  ],
])('the rule authServerStorage gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('authServerStorage', ...objects)).toEqual(expected);
});
