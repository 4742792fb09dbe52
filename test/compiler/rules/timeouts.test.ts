import { expect, test } from 'vitest';
import { authServer, gatewayWithAuthServer } from '../../support/auth-server-spec.ts';
import { findings, gatewayConfig, judge, object } from '../../support/rule.ts';

const redis = (fields: string) =>
  `storage: { type: redis, redis: { addr: "r:6379", aclUserConfig: { passwordSecretRef: { name: r, key: p } }, ${fields} } }`;

const grant = (age: string) =>
  `trustedIssuers: [{ issuerUrl: https://ci.example.com, jwtBearerGrant: { maxAssertionAge: ${age}, subjectBindings: [{ subject: ci, allowedResources: [https://m.example.com] }] } }]`;

test.each<[string, string[], string[]]>([
  [
    'default timeouts and timeouts at the limits',
    [
      gatewayWithAuthServer('storage: { type: memory }'),
      authServer(redis('dialTimeout: 1ms, readTimeout: 24h, writeTimeout: 250us')),
      authServer('cimd: { enabled: true, cacheFallbackTtl: 1s }'),
      authServer(grant('1s')),
      authServer(grant('5000h')),
      gatewayConfig('{ optimizer: { embeddingServiceTimeout: 500h } }'),
      object('MCPServer', '{ command: npx, process: { startTimeout: 1s, requestTimeout: 1s, idleTimeout: 0s } }'),
    ],
    [],
  ],
  [
    'Redis timeouts of zero',
    [gatewayWithAuthServer(redis('dialTimeout: 0s, readTimeout: 0ms, writeTimeout: 0h'))],
    [
      'LNT1013 error 10:126 expected a duration longer than zero, found "0s"',
      'LNT1013 error 10:143 expected a duration longer than zero, found "0ms"',
      'LNT1013 error 10:162 expected a duration longer than zero, found "0h"',
    ],
  ],
  [
    'timeouts beyond the range of timers',
    [
      authServer(redis('dialTimeout: 1000h')),
      gatewayConfig('{ optimizer: { embeddingServiceTimeout: 1000h } }'),
      object('MCPServer', '{ command: npx, process: { startTimeout: 1000h } }'),
    ],
    [
      'LNT1013 error 9:126 expected a duration of at most 24 days, found "1000h"',
      'LNT1013 error 17:51 expected a duration of at most 24 days, found "1000h"',
      'LNT1013 error 22:48 expected a duration of at most 24 days, found "1000h"',
    ],
  ],
  [
    'a timeout of zero for embeddings and programs',
    [
      gatewayConfig('{ optimizer: { embeddingServiceTimeout: 0s } }'),
      object('MCPServer', '{ command: npx, process: { startTimeout: 0s, requestTimeout: 0s } }'),
    ],
    [
      'LNT1013 error 7:51 expected a duration longer than zero, found "0s"',
      'LNT1013 error 12:48 expected a duration longer than zero, found "0s"',
      'LNT1013 error 12:68 expected a duration longer than zero, found "0s"',
    ],
  ],
  [
    'durations under a second that are counted in seconds',
    [
      authServer('cimd: { enabled: true, cacheFallbackTtl: 0s }'),
      authServer(grant('999ms')),
      authServer(grant('900000h')),
    ],
    [
      'LNT1013 error 9:46 expected a duration of at least 1s, found "0s"',
      'LNT1013 error 19:94 expected a duration of at least 1s, found "999ms"',
      'LNT1013 error 29:94 expected a duration of at most 100 years, found "900000h"',
    ],
  ],
])('the rule timeouts gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('timeouts', ...objects)).toEqual(expected);
});

test('the help of a finding about a timeout suggests a duration, and says whether this duration is the default', () => {
  const [finding] = findings('timeouts', authServer(redis('dialTimeout: 0s')));
  expect(finding?.help).toBe('Write a duration longer than zero, such as 5s, the default');
  const [age] = findings('timeouts', authServer(grant('10ms')));
  expect(age?.help).toBe('Write a duration of at least 1s, such as 5m');
});
