/** A connection to Redis whose certificate is not verified is a finding, in each field in which a Redis can be configured. */
import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const UPSTREAMS = '[{ name: o, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }]';
const server = (storage: string) =>
  `{ issuer: https://a.example.com, upstreamProviders: ${UPSTREAMS}, storage: ${storage} }`;
const redis = (tls: string, type = 'redis') =>
  `{ type: ${type}, redis: { addr: redis:6379, aclUserConfig: { passwordSecretRef: { name: r, key: p } }, ${tls} } }`;
const CARELESS = '{ insecureSkipVerify: true }';
const CAREFUL = '{ insecureSkipVerify: false, caCertSecretRef: { name: r, key: ca } }';

test.each<[string, string[], string[]]>([
  [
    'verified TLS, plain text, and unused Redis settings',
    [
      gateway(`authServerConfig: ${server(redis(`tls: ${CAREFUL}`))}`),
      gateway(`authServerConfig: ${server(redis('readTimeout: 1s'))}`),
      gateway(`authServerConfig: ${server(redis(`tls: ${CARELESS}`, 'memory'))}`),
      gateway(`sessionStorage: { provider: redis, address: redis:6379, tls: ${CAREFUL} }`),
      gateway(`sessionStorage: { provider: memory, tls: ${CARELESS} }`),
    ],
    [],
  ],
  [
    'TLS without verification',
    [
      gateway(`authServerConfig: ${server(redis(`tls: ${CARELESS}, sentinelTls: ${CARELESS}`))}`),
      gateway(`sessionStorage: { provider: redis, address: redis:6379, tls: ${CARELESS} }`),
      object(
        'MCPExternalAuthConfig',
        `{ type: embeddedAuthServer, embeddedAuthServer: ${server(redis(`tls: ${CARELESS}`))} }`,
      ),
    ],
    [
      'LNT4030 warning the certificate of this Redis is not checked: any server could take the place of Redis',
      'LNT4030 warning the certificate of these sentinels is not checked: any server could take the place of Redis',
      'LNT4030 warning the certificate of this Redis is not checked: any server could take the place of Redis',
      'LNT4030 warning the certificate of this Redis is not checked: any server could take the place of Redis',
    ],
  ],
])('the rule unverifiedRedis gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('unverifiedRedis', ...objects).map(text => text.replace(/ \d+:\d+/, ''))).toEqual(expected);
});
