import { expect, test } from 'vitest';
import { entries, findings, judge, object } from '../../../support/gateway-rule.ts';
import { gatewayWithPolicies } from '../../../support/policies.ts';

/** A gateway for the local user; its policies begin on line 12. */
function localGateway(policies: readonly string[], more = ''): string {
  return object(
    'VirtualMCPServer',
    `
  groupRef: { name: tools }
  config:
    incomingAuth:
      type: local
      authz:
        type: cedar${more === '' ? '' : `\n        ${more}`}
        policies:
${policies.map(policy => `          - ${policy}`).join('\n')}`,
    'eng',
  );
}

const SCOPE = 'permit(principal in Group::"eng", action, resource);';

test.each<[string, string[], string, string[]]>([
  [
    'a group in the scope of a policy',
    [SCOPE],
    '',
    ['LNT5017 warning 12:33 policy0: no caller is in Group::"eng", because the local user has no groups'],
  ],
  [
    'a group in the condition of a forbid',
    ['forbid(principal, action, resource) unless { principal in Group::"eng" };'],
    '',
    ['LNT5017 warning 12:71 policy0: no caller is in Group::"eng", because the local user has no groups'],
  ],
  [
    'several groups',
    ['permit(principal is Client in Group::"a", action, resource) when { principal in [Group::"a", Group::"b"] };'],
    '',
    [
      'LNT5017 warning 12:43 policy0: no caller is in Group::"a", because the local user has no groups',
      'LNT5017 warning 12:106 policy0: no caller is in Group::"b", because the local user has no groups',
    ],
  ],
  ['a caller by name', ['permit(principal == Client::"ann", action, resource);'], '', []],
  [
    'a group of which entities make a caller a member, through another group',
    [SCOPE],
    `entitiesJson: '[{"uid":{"type":"Client","id":"ann"},"attrs":{},"parents":[{"type":"Group","id":"web"}]},{"uid":{"type":"Group","id":"web"},"attrs":{},"parents":[{"type":"Group","id":"eng"}]}]'`,
    [],
  ],
  [
    'a group in the entities without members',
    [SCOPE],
    `entitiesJson: '[{"uid":{"type":"Group","id":"eng"},"attrs":{},"parents":[{"type":"Group","id":"all"}]}]'`,
    ['LNT5017 warning 13:33 policy0: no caller is in Group::"eng", because the local user has no groups'],
  ],
  ['a group of tools', ['permit(principal, action, resource in Group::"eng");'], '', []],
  ['an entity that is no group', ['permit(principal in Team::"eng", action, resource);'], '', []],
  [
    'a group with another entity type',
    ['permit(principal in Team::"eng", action, resource);'],
    'groupEntityType: Team',
    ['LNT5017 warning 13:33 policy0: no caller is in Team::"eng", because the local user has no groups'],
  ],
])(
  'the rule callersWithoutGroups gives the expected findings for a local gateway: %s',
  (_, policies, more, expected) => {
    expect(judge('callersWithoutGroups', [localGateway(policies, more), entries('git')])).toEqual(expected);
  },
);

test('the rule callersWithoutGroups gives no finding about policies with groups if callers have tokens or are anonymous', () => {
  expect(judge('callersWithoutGroups', [gatewayWithPolicies([SCOPE]), entries('git')])).toEqual([]);
  const anonymous = gatewayWithPolicies([SCOPE], { auth: 'type: anonymous' });
  expect(judge('callersWithoutGroups', [anonymous, entries('git')])).toEqual([]);
});

/** Users sign in at the gateway itself. */
function signingIn(incomingAuth: string, more = ''): string {
  return object(
    'VirtualMCPServer',
    `
  groupRef: { name: tools }
${incomingAuth}
  authServerConfig:
    issuer: https://mcp.example.com
    ${more}
    upstreamProviders:
      - { name: okta, type: oidc, oidcConfig: { issuerUrl: https://okta.example.com, clientId: gw } }`,
    'eng',
  );
}

const authz = `authz: { type: cedar, policies: ['${SCOPE}'] }`;
const OIDC =
  'oidc: { issuer: https://mcp.example.com, audience: https://mcp.example.com/mcp, resource: https://mcp.example.com/mcp, clientId: gw }';

test('policies with groups give LNT5017 if authServerConfig issues the tokens, unless primaryUpstreamProvider says whose groups count', () => {
  const config = `  config: { incomingAuth: { type: oidc, ${OIDC}, ${authz} } }`;
  const why =
    'tokens of authServerConfig carry no groups, and primaryUpstreamProvider names no upstream whose tokens carry groups';
  expect(findings('callersWithoutGroups', [signingIn(config), entries('git')]).map(({ message }) => message)).toEqual([
    `policy0: no caller is in Group::"eng", because ${why}`,
  ]);
  const named = signingIn(config, 'primaryUpstreamProvider: okta');
  expect(judge('callersWithoutGroups', [named, entries('git')])).toEqual([]);
});
