import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, type Offers } from '../../../support/gateway-rule.ts';
import { gateway, gatewayConfig } from '../../../support/rule.ts';

const tool = (name: string, annotations?: object) => ({
  name,
  inputSchema: { type: 'object' },
  ...(annotations === undefined ? {} : { annotations }),
});

const OFFERS: Offers = {
  [formatBackendKey('pg')]: {
    tools: [
      tool('query', { readOnlyHint: true }),
      tool('vacuum'),
      tool('drop', { destructiveHint: true }),
      tool('insert', { readOnlyHint: false, destructiveHint: false }),
    ],
  },
};

const HIDDEN = 'aggregation: { tools: [{ workload: pg, filter: [query] }] }';

test('LNT4001 counts the tools that anonymous callers reach and that are not read-only, and names destructive tools first', () => {
  expect(judge('anonymousWrites', [gatewayConfig('{}'), entries('pg')], OFFERS)).toEqual([
    'LNT4001 warning 6:25 anonymous callers reach 2 tools that are not read-only (1 destructive) and 1 not known to be: "pg_drop", "pg_vacuum" and "pg_insert"',
  ]);
});

test('LNT4001 names a writing tool without destructiveHint before a writing tool with destructiveHint: false', () => {
  const tools = [tool('write', { readOnlyHint: false, destructiveHint: false }), tool('add', { readOnlyHint: false })];
  expect(
    judge('anonymousWrites', [gatewayConfig('{}'), entries('pg')], { [formatBackendKey('pg')]: { tools } }),
  ).toEqual(['LNT4001 warning 6:25 anonymous callers reach 2 tools that are not read-only: "pg_add" and "pg_write"']);
});

test('LNT4001 names at most five of the tools that anonymous callers reach', () => {
  const tools = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(name => tool(name));
  expect(
    judge('anonymousWrites', [gatewayConfig('{}'), entries('pg')], { [formatBackendKey('pg')]: { tools } }),
  ).toEqual([
    'LNT4001 warning 6:25 anonymous callers reach 7 tools not known to be read-only: "pg_a", "pg_b", "pg_c", "pg_d", "pg_e" and 2 more',
  ]);
});

test('LNT4001 counts a hidden tool as reached by anonymous callers only if a workflow calls the tool', () => {
  const workflow = `{ ${HIDDEN}, compositeTools: [{ name: clean, steps: [{ id: purge, tool: pg.drop }] }] }`;
  expect(judge('anonymousWrites', [gatewayConfig(`{ ${HIDDEN} }`), entries('pg')], OFFERS)).toEqual([]);
  const [found] = findings('anonymousWrites', [gatewayConfig(workflow), entries('pg')], OFFERS);
  expect(found?.message).toBe('anonymous callers reach 1 tool that is not read-only (1 destructive): "pg_drop"');
  expect(found?.related?.map(({ message }) => message)).toEqual(['"pg_drop" is reached by clean → purge']);
});

test.each([
  [
    'an override that makes a tool read-only',
    'overrides: { vacuum: { annotations: { readOnlyHint: true } } }, filter: [vacuum]',
    0,
  ],
  [
    'an override that makes a read-only tool writing',
    'overrides: { query: { annotations: { readOnlyHint: false } } }, filter: [query]',
    1,
  ],
])('the rule anonymousWrites gives the expected findings for: %s', (_, entry, count) => {
  const config = gatewayConfig(`{ aggregation: { tools: [{ workload: pg, ${entry} }] } }`);
  expect(judge('anonymousWrites', [config, entries('pg')], OFFERS)).toHaveLength(count);
});

test('the rule anonymousWrites gives no finding if a token is required, no caller is permitted, or backends are not in the tool lock', () => {
  const oidc = gateway('incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }');
  expect(judge('anonymousWrites', [oidc, entries('pg')], OFFERS)).toEqual([]);
  const policies = (text: string) =>
    gateway(`incomingAuth: { type: anonymous, authzConfig: { type: inline, inline: { policies: ['${text}'] } } }`);
  expect(judge('anonymousWrites', [policies('forbid(principal, action, resource);'), entries('pg')], OFFERS)).toEqual(
    [],
  );
  expect(
    judge('anonymousWrites', [policies('permit(principal, action, resource);'), entries('pg')], OFFERS),
  ).toHaveLength(1);
  expect(judge('anonymousWrites', [gatewayConfig('{}'), entries('pg')], {})).toEqual([]);
});
