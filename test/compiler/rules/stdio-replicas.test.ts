import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'one replica, and another transport',
    [
      object('MCPServer', '{ image: i, replicas: 1 }'),
      object('MCPServer', '{ image: i, transport: sse, replicas: 2 }'),
    ],
    [],
  ],
  [
    'two replicas over stdio',
    [object('MCPServer', '{ image: i, replicas: 2 }')],
    ['LNT1008 warning 4:29 replicas has no effect beyond 1: the transport is stdio'],
  ],
])('the rule stdioReplicas gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('stdioReplicas', ...objects)).toEqual(expected);
});
