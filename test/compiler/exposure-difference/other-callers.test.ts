/** The report of `lintel diff` begins with changes of authentication, with the old and the new value, before it lists what callers may do. */
import { describe, expect, test } from 'vitest';
import { compile, diffExposures, type Exposure, readTexts, renderDifferencePretty, SourceText } from '#compiler';
import { createCatalog, entries, formatBackendKey, object } from '../../support/gateway-rule.ts';
import { gateway } from '../../support/rule.ts';

const OFFERS = {
  [formatBackendKey('git')]: {
    tools: [
      { name: 'drop', annotations: { destructiveHint: true } },
      { name: 'list', annotations: { readOnlyHint: true } },
    ],
  },
};

const OIDC = 'incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }';
const INLINE = 'issuer: "https://id.example.com", jwksUrl: "https://id.example.com/keys"';

interface Spec {
  readonly fields?: string;
  readonly inline?: string;
}

function exposuresOf({ fields = OIDC, inline = INLINE }: Spec): readonly Exposure[] {
  const text = [
    entries('git'),
    object('MCPOIDCConfig', `{ type: inline, inline: { ${inline} } }`, 'corp'),
    gateway(fields),
  ].join('---\n');
  const compiled = compile(readTexts([new SourceText('spec.yaml', text)]), {
    purpose: 'check',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
    catalog: createCatalog(OFFERS),
  });
  const errors = compiled.findings.diagnostics.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, message }) => `${code} ${message}`)).toEqual([]);
  return compiled.gateways.flatMap(one => one.exposure() ?? []);
}

/** The lines at the top of the report, without their title; empty if there are none. */
function topOf(before: Spec, after: Spec): readonly string[] {
  const text = renderDifferencePretty(diffExposures(exposuresOf(before), exposuresOf(after)), { color: false });
  const [title, ...lines] = text.split('\n');
  return title === 'Look at these first' ? lines.slice(0, lines.indexOf('')) : [];
}

const OTHERS = '  ! default/it: gateway it: may accept other callers, or identify callers differently';
const TOKENS = 'callers with a token of https://id.example.com for mcp';
const policies = (...texts: readonly string[]) =>
  `, authzConfig: { type: inline, inline: { policies: [${texts.map(text => JSON.stringify(text)).join(', ')}] } } }`;
const withPolicies = (...texts: readonly string[]) => OIDC.replace(/ }$/, policies(...texts));

/**
 * @param claims members next to the policies
 * @param child a group that is in `ops`
 */
const withGroups = (claims: string, child: string) => {
  const entities = JSON.stringify([
    { uid: { type: 'Group', id: child }, attrs: {}, parents: [{ type: 'Group', id: 'ops' }] },
  ]);
  const inline = child === '' ? '' : `, entitiesJson: '${entities}'`;
  const policy = JSON.stringify('permit(principal in Group::"ops", action, resource);');
  return OIDC.replace(/ }$/, `, authzConfig: { type: inline, ${claims}inline: { policies: [${policy}]${inline} } } }`);
};

const SERVER = (
  upstream: string,
) => `${OIDC.replace('audience: mcp', 'audience: "https://mcp.example.com/mcp", resourceUrl: "https://mcp.example.com/mcp"')}
  authServerConfig:
    issuer: https://id.example.com
    upstreamProviders: [{ name: okta, type: oidc, oidcConfig: { ${upstream} } }]`;

test.each<[what: string, before: Spec, after: Spec, expected: readonly string[]]>([
  [
    'tokens of another issuer',
    {},
    { inline: INLINE.replace('https://id.example.com"', 'https://other.example.com"') },
    [OTHERS, `      gets in: ${TOKENS} → callers with a token of https://other.example.com for mcp`],
  ],
  [
    'tokens for another audience',
    {},
    { fields: OIDC.replace('audience: mcp', 'audience: all') },
    [OTHERS, `      gets in: ${TOKENS} → callers with a token of https://id.example.com for all`],
  ],
  [
    'tokens with other keys',
    {},
    { inline: INLINE.replace('/keys', '/other') },
    [OTHERS, '      incomingAuth.providers[corp].keys.url: https://id.example.com/keys → https://id.example.com/other'],
  ],
  [
    'a scope that is no longer required',
    {
      fields:
        'config: { incomingAuth: { type: oidc, oidc: { issuer: "https://id.example.com", clientId: c, audience: mcp, scopes: [use] } } }',
    },
    {
      fields:
        'config: { incomingAuth: { type: oidc, oidc: { issuer: "https://id.example.com", clientId: c, audience: mcp } } }',
    },
    [OTHERS, `      gets in: ${TOKENS}, with scope use → ${TOKENS}`],
  ],
  [
    'callers without a token, in front of the tools that they reach',
    {},
    { fields: 'incomingAuth: { type: anonymous }' },
    [
      '  ! default/it: gateway it: reachable without a token now',
      `      gets in: ${TOKENS} → anyone who can connect`,
      '  ! default/it: tool git_drop: reachable without a token now, may destroy',
      '  ! default/it: tool git_list: reachable without a token now',
    ],
  ],
  [
    'another client id at the upstream provider',
    { fields: SERVER('issuerUrl: "https://okta.example.com", clientId: gw') },
    { fields: SERVER('issuerUrl: "https://okta.example.com", clientId: other') },
    [OTHERS, '      authServer.upstreams[okta].clientId: gw → other'],
  ],
  [
    'another upstream provider',
    { fields: SERVER('issuerUrl: "https://okta.example.com", clientId: gw') },
    { fields: SERVER('issuerUrl: "https://evil.example.com", clientId: gw') },
    [OTHERS, '      authServer.upstreams[okta].issuer: https://okta.example.com/ → https://evil.example.com/'],
  ],
  [
    'groups from another claim',
    { fields: withGroups('groupClaimName: teams, ', '') },
    { fields: withGroups('', '') },
    [OTHERS, '      groups come from: teams, else groups, roles, cognito:groups → groups, else roles, cognito:groups'],
  ],
  [
    'roles as groups',
    { fields: withGroups('', '') },
    { fields: withGroups('roleClaimName: jobs, ', '') },
    [
      OTHERS,
      '      groups come from: groups, else roles, cognito:groups → groups, else roles, cognito:groups, and jobs besides',
    ],
  ],
  [
    'a group that becomes a child of another group',
    { fields: withGroups('', '') },
    { fields: withGroups('', 'staff') },
    [OTHERS, '      groups in groups: Group::"staff" in Group::"ops"'],
  ],
])('lintel diff lists first that a gateway may accept other callers than before: %s', (_, before, after, expected) => {
  expect(topOf(before, after).slice(0, expected.length)).toEqual(expected);
  expect(topOf(before, after).slice(expected.length).join('\n')).not.toContain('gateway it');
});

test('lintel diff finds no difference if a gateway reads groups from another claim than before and no policy reads groups', () => {
  const fields = (claims: string) => withGroups(claims, '').replace('principal in Group::\\"ops\\"', 'principal');
  const [before, after] = [
    exposuresOf({ fields: fields('groupClaimName: teams, ') }),
    exposuresOf({ fields: fields('') }),
  ];
  expect(diffExposures(before, after).map(({ change }) => change)).toEqual(['none']);
});

const ITEMS = 'any other tool of backend git, git_drop, git_list, prompt any other prompt, resource any other resource';

test('if a gateway reads groups from another claim than before, lintel diff shows all changed conditions in one row, and each in JSON', () => {
  const [before, after] = [withGroups('groupClaimName: teams, ', ''), withGroups('', '')].map(fields =>
    exposuresOf({ fields }),
  );
  const differences = diffExposures(before ?? [], after ?? []);
  const count = differences[0]?.callers.length ?? 0;
  expect(count).toBeGreaterThan(2);
  const rows = renderDifferencePretty(differences, { color: false })
    .split('\n')
    .filter(line => /^ {2}\w.* (?:gains|loses) /.test(line));
  const who = `  a caller whose groups come from another claim now (${count} conditions; --format json has each)`;
  expect(rows).toEqual(['gains', 'loses'].map(what => `${who} ${what} ${ITEMS}`));
});

test('lintel diff lists changes of authentication before changes of permissions', () => {
  const top = topOf(
    { fields: withPolicies('permit(principal in Group::"ops", action, resource);') },
    {
      fields: withPolicies('permit(principal, action, resource);'),
      inline: INLINE.replace('https://id.example.com"', 'https://other.example.com"'),
    },
  );
  expect(top[0]).toBe(OTHERS);
  expect(top.slice(2).join('\n')).toContain('tool git_drop: may destroy');
});

describe('fewer accepted callers', () => {
  test.each<[what: string, before: Spec, after: Spec]>([
    ['tokens in place of anonymous access', { fields: 'incomingAuth: { type: anonymous }' }, {}],
    [
      'a further required scope',
      {
        fields:
          'config: { incomingAuth: { type: oidc, oidc: { issuer: "https://id.example.com", clientId: c, audience: mcp } } }',
      },
      {
        fields:
          'config: { incomingAuth: { type: oidc, oidc: { issuer: "https://id.example.com", clientId: c, audience: mcp, scopes: [use] } } }',
      },
    ],
    ['a scope that only clients read', {}, { fields: OIDC.replace('audience: mcp', 'audience: mcp, scopes: [use]') }],
  ])(
    'lintel diff lists no change under "Look at these first" if the gateway accepts fewer callers: %s',
    (_, before, after) => {
      expect(topOf(before, after)).toEqual([]);
    },
  );
});
