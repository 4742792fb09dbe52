import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge, type Offers, object } from '../../../support/gateway-rule.ts';
import { gateway, gatewayConfig } from '../../../support/rule.ts';

const OFFERS: Offers = {
  [formatBackendKey('pg')]: { tools: ['vacuum', { name: 'drop', annotations: { destructiveHint: true } }] },
};

const workflow = (tool: string) => `compositeTools: [{ name: clean, steps: [{ id: purge, tool: ${tool} }] }]`;
const hidden = 'aggregation: { tools: [{ workload: pg, filter: [vacuum] }] }';

test.each([
  [
    'a hidden destructive tool that an open workflow calls',
    `{ ${hidden}, ${workflow('pg.drop')} }`,
    [
      'LNT3008 warning 7:134 "pg_drop" is destructive and hidden, yet everyone reaches it through "clean" (clean → purge → pg_drop)',
    ],
  ],
  ['an offered destructive tool', `{ ${workflow('pg.drop')} }`, []],
  ['a hidden tool that is not destructive', `{ aggregation: { excludeAllTools: true }, ${workflow('pg.vacuum')} }`, []],
  ['a hidden tool that no workflow calls', `{ ${hidden} }`, []],
])('the rule hiddenYetReachable gives the expected findings for: %s', (_, config, expected) => {
  expect(judge('hiddenYetReachable', [gatewayConfig(config), entries('pg')], OFFERS)).toEqual(expected);
});

test('the rule hiddenYetReachable gives no finding about a hidden destructive tool if only some callers may call its workflow', () => {
  const text = `incomingAuth:
    type: oidc
    oidcConfigRef: { name: corp, audience: mcp }
    authzConfig: { type: inline, inline: { policies: ['permit(principal in Group::"dba", action, resource);'] } }
  config: { ${hidden}, ${workflow('pg.drop')} }`;
  const oidc = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://auth.example.com" } }', 'corp');
  expect(judge('hiddenYetReachable', [gateway(text), oidc, entries('pg')], OFFERS)).toEqual([]);
});
