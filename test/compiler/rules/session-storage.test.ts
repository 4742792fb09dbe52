import { expect, test } from 'vitest';
import { sessionStorage } from '../../../compiler/rules/session-storage.ts';
import { gateway, gatewayConfig, judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'shared, single, or left to others',
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
    'several replicas, nothing shared',
    [
      gateway('incomingAuth: { type: anonymous }\n  replicas: 3'),
      gateway(
        'incomingAuth: { type: anonymous }\n  replicas: 2\n  sessionStorage: { provider: memory }\n  config: { sessionStorage: { provider: redis } }',
      ),
      object('MCPServer', '{ image: i, transport: sse, replicas: 2 }'),
      object('MCPRemoteProxy', '{ remoteUrl: https://a.example.com, replicas: 2 }'),
    ],
    [
      'LNT4016 warning 7:13 3 replicas do not share sessions: a session is lost when its requests reach another one',
      'LNT4016 warning 15:13 2 replicas do not share sessions: a session is lost when its requests reach another one',
      'LNT4016 warning 22:45 2 replicas do not share sessions: a session is lost when its requests reach another one',
      'LNT4016 warning 27:53 2 replicas do not share sessions: a session is lost when its requests reach another one',
    ],
  ],
  [
    'Redis without an address',
    [gatewayConfig('{ sessionStorage: { provider: redis } }')],
    ['LNT1010 error 7:13 session storage in Redis needs an address'],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(sessionStorage, ...objects)).toEqual(expected);
});
