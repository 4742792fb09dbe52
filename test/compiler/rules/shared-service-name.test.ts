import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const server = (name: string, service: string) =>
  gateway(
    `incomingAuth: { type: anonymous }
  telemetryConfigRef: { name: t, ${service} }`,
    name,
  );

test.each<[string, string[], string[]]>([
  [
    'different service names, and default names',
    [server('a', 'serviceName: x'), server('b', 'serviceName: y'), server('c', ''), server('d', '')],
    [],
  ],
  [
    'one service name twice',
    [
      server('a', 'serviceName: x'),
      server('b', 'serviceName: x'),
      object('MCPServer', '{ image: i, telemetryConfigRef: { name: t, serviceName: x } }', 'p'),
    ],
    [
      'LNT1023 warning 15:47 VirtualMCPServer "a" reports telemetry under the same service name',
      'LNT1023 warning 20:63 VirtualMCPServer "a" reports telemetry under the same service name',
    ],
  ],
])('the rule sharedServiceName gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('sharedServiceName', ...objects)).toEqual(expected);
});
