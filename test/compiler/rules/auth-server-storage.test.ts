import { expect, test } from 'vitest';
import { authServerStorage } from '../../../compiler/rules/auth-server-storage.ts';
import { gateway, judge, object } from '../../support/rule.ts';

const issuer = 'issuer: https://auth.example.com';
const upstream = '{ name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: c } }';
const authServer = (fields: string) =>
  object(
    'MCPExternalAuthConfig',
    `
  type: embeddedAuthServer
  embeddedAuthServer:
    ${issuer}
    upstreamProviders: [${upstream}]
    ${fields}`,
  );
const inGateway = (fields: string) =>
  gateway(`incomingAuth: { type: anonymous }
  authServerConfig:
    ${issuer}
    upstreamProviders: [${upstream}]
    ${fields}`);

test.each<[string, string[], string[]]>([
  [
    'memory, and each way to Redis',
    [
      inGateway('storage: {}'),
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
    'redis without its block',
    [inGateway('storage: { type: redis }')],
    ['LNT1010 error 10:5 storage of type redis needs the block "redis"'],
  ],
  [
    'a block without redis',
    [inGateway('storage: { redis: { addr: redis:6379, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }')],
    ['LNT1008 warning 10:16 redis has no effect: storage.type is memory'],
  ],
  [
    'both kinds of sentinels',
    [
      authServer(
        'storage: { type: redis, redis: { sentinelConfig: { masterName: m, sentinelAddrs: [s:26379], sentinelService: { name: s } }, aclUserConfig: { passwordSecretRef: { name: s, key: k } } } }',
      ),
    ],
    ['LNT1021 error 9:97 sentinelAddrs and sentinelService exclude each other'],
  ],
  [
    'no sentinels, TLS to none',
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
])('%s', (_, objects, expected) => {
  expect(judge(authServerStorage, ...objects)).toEqual(expected);
});
