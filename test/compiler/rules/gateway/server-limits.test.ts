import { expect, test } from 'vitest';
import { findings, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig, object } from '../../../support/rule.ts';

const GROUP = object('MCPGroup', '{}', 'tools');
const limit = (name: string) => `{ name: ${name}, shared: { maxTokens: 1, refillPeriod: 1s } }`;
const server = (...names: readonly string[]) =>
  object(
    'MCPServer',
    `{ image: x, groupRef: { name: tools }, sessionStorage: { provider: redis, address: "r:6379" }, rateLimiting: { tools: [${names.map(limit).join(', ')}] } }`,
    'pg',
  );
const LOCKED = { 'default/MCPServer/pg': { tools: ['query', 'drop'] } };

test.each<[string, readonly string[], typeof LOCKED | undefined, readonly string[]]>([
  ['limits of existing tools', ['query', 'drop'], LOCKED, []],
  [
    'a limit of an unknown tool',
    ['query', 'pg_drop'],
    LOCKED,
    ['LNT3001 warning 17:195 the server has no tool "pg_drop", so the limit has no effect'],
  ],
  ['a limit at a server without a tool lock', ['querry'], undefined, []],
])('the rule serverLimits gives the expected findings for: %s', (_, names, offers, expected) => {
  expect(judge('serverLimits', [gatewayConfig('{}'), GROUP, server(...names)], offers)).toEqual(expected);
});

test('LNT3001 about the limit of an unknown tool suggests the nearest name', () => {
  const [found] = findings('serverLimits', [gatewayConfig('{}'), GROUP, server('querry')], LOCKED);
  expect(found?.fix).toBe('did you mean "query"?');
});
