import { expect, test } from 'vitest';
import { gateway, gatewayConfig, judge, object } from '../../support/rule.ts';

const watched = (fields: string) =>
  `incomingAuth: { type: anonymous }\n  sessionStorage: { provider: redis, ${fields} }`;

test.each<[string, string[], string[]]>([
  [
    'a shared store, one replica, and an unset number of replicas',
    [
      gateway(
        'incomingAuth: { type: anonymous }\n  replicas: 3\n  sessionStorage: { provider: redis, address: redis:6379 }',
      ),
      gateway('incomingAuth: { type: anonymous }\n  replicas: 1'),
      gateway('incomingAuth: { type: anonymous }'),
      gateway(
        'incomingAuth: { type: anonymous }\n  replicas: 3\n  config: { sessionStorage: { provider: redis, address: redis:6379 } }',
      ),
    ],
    [],
  ],
  [
    'several replicas without a shared store',
    [
      gateway('incomingAuth: { type: anonymous }\n  replicas: 3'),
      gateway(
        'incomingAuth: { type: anonymous }\n  replicas: 2\n  sessionStorage: { provider: memory }\n  config: { sessionStorage: { provider: redis } }',
      ),
      object('MCPServer', '{ image: i, transport: sse, replicas: 2 }'),
      object('MCPRemoteProxy', '{ remoteUrl: https://a.example.com, replicas: 2 }'),
    ],
    [
      'LNT4016 warning 7:13 3 replicas do not share sessions: a session is lost when its requests reach another replica',
      'LNT4016 warning 15:13 2 replicas do not share sessions: a session is lost when its requests reach another replica',
      'LNT4016 warning 22:45 2 replicas do not share sessions: a session is lost when its requests reach another replica',
      'LNT4016 warning 27:53 2 replicas do not share sessions: a session is lost when its requests reach another replica',
    ],
  ],
  [
    'Redis without an address',
    [gatewayConfig('{ sessionStorage: { provider: redis } }')],
    ['LNT1010 error 7:13 session storage in Redis needs an address, or sentinelConfig'],
  ],
  [
    'sentinels in spec and spec.config',
    [
      gateway(watched('sentinelConfig: { masterName: m, sentinelAddrs: [s:26379] }, sentinelTls: {}')),
      gateway(watched('sentinelConfig: { masterName: m, sentinelService: { name: s } }')),
      gatewayConfig(
        '{ sessionStorage: { provider: redis, sentinelConfig: { masterName: m, sentinelAddrs: [s:26379] } } }',
      ),
    ],
    [],
  ],
  [
    'sentinels without addresses, with two kinds of addresses, and unused TLS settings',
    [
      gateway(watched('sentinelConfig: { masterName: m }')),
      gateway(watched('sentinelConfig: { masterName: m, sentinelAddrs: [s:26379], sentinelService: { name: s } }')),
      gateway(watched('address: "a:1", sentinelTls: {}')),
      gatewayConfig('{ sessionStorage: { provider: redis, sentinelConfig: { masterName: m } } }'),
      gatewayConfig(
        '{ sessionStorage: { provider: redis, address: "a:1", sentinelConfig: { masterName: m, sentinelAddrs: [s:26379] } } }',
      ),
      object(
        'MCPServer',
        '{ image: i, transport: sse, sessionStorage: { provider: redis, sentinelConfig: { masterName: m } } }',
      ),
    ],
    [
      'LNT1010 error 7:54 sentinelConfig needs sentinelAddrs or sentinelService',
      'LNT1021 error 15:97 sentinelAddrs and sentinelService exclude each other',
      'LNT1008 warning 23:54 sentinelTls has no effect without sentinelConfig',
      'LNT1010 error 31:64 sentinelConfig needs sentinelAddrs or sentinelService',
      'LNT1021 error 39:57 address and sentinelConfig exclude each other',
      'LNT1010 error 44:86 sentinelConfig needs sentinelAddrs or sentinelService',
    ],
  ],
])('the rule sessionStorage gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('sessionStorage', ...objects)).toEqual(expected);
});
