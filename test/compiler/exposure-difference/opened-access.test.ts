/** How `lintel diff` reports changes that widen access or send a credential to another host, while the policies for locked tools stay the same. */
import { describe, expect, test } from 'vitest';
import { type Classification, diffExposure } from '#compiler';
import { diffLeaves } from '../../../compiler/analysis/exposure/plan/diff-leaves.ts';
import { GATEWAY_LEAVES } from '../../../compiler/analysis/exposure/plan/gateway-leaves.ts';
import type { Offers } from '../../support/gateway-rule.ts';
import { type Design, exposureOf, more, OFFER, OPPOSITE, POLICIES } from './access-design.ts';

const ONLY_READ = [
  'permit(principal in Group::"admins", action == Action::"call_tool", resource == Tool::"docs_read");',
];
const NO_NAMES = 'permit(principal in Group::"admins", action == Action::"read_resource", resource);';

const child = (type: string, id: string, parent: string) => ({
  uid: { type, id },
  attrs: {},
  parents: [{ type: 'Group', id: parent }],
});
const caBundleRef = (name: string) => ({ caBundleRef: { configMapRef: { name, key: 'ca.crt' } } });
const headers = (addPlaintextHeaders: object) => ({ entry: { headerForward: { addPlaintextHeaders } } });
const secret = (name: string) => ({
  entry: { headerForward: { addHeadersFromSecret: [{ headerName: 'X-Key', valueSecretRef: { name, key: 'key' } }] } },
});
const tools = (settings: object): Design => ({
  config: { aggregation: { tools: [{ workload: 'docs', ...settings }] } },
});

type Row = readonly [what: string, before: Design, after: Design, classification: Classification];

const ROWS: readonly Row[] = [
  ['groups come from another claim', {}, { authz: { groupClaimName: 'teams' } }, 'mixed'],
  [
    'a role claim adds groups',
    { policies: POLICIES.slice(0, 3) },
    { policies: POLICIES.slice(0, 3), authz: { roleClaimName: 'wids' } },
    'wider',
  ],
  ['a group becomes a child of admins', {}, { entities: [child('Group', 'staff', 'admins')] }, 'wider'],
  ['a client becomes a child of admins', {}, { entities: [child('Client', 'bob', 'admins')] }, 'wider'],
  ['a group becomes a child of interns', {}, { entities: [child('Group', 'staff', 'interns')] }, 'narrower'],
  ['token keys come from another host', {}, { oidc: { jwksUrl: 'https://keys.example.net/jwks' } }, 'mixed'],
  ['opaque tokens are accepted', {}, { oidc: { introspectionUrl: 'https://login.example.com/introspect' } }, 'wider'],
  [
    'opaque tokens are checked at another host',
    { oidc: { introspectionUrl: 'https://login.example.com/introspect' } },
    { oidc: { introspectionUrl: 'https://login.example.net/introspect' } },
    'mixed',
  ],
  ['another CA certifies the provider', { oidc: caBundleRef('one') }, { oidc: caBundleRef('two') }, 'mixed'],
  ['the provider may use plain http', {}, { oidc: { insecureAllowHTTP: true } }, 'wider'],
  [
    'the provider may use plain http, although only an https URL is read',
    { oidc: { jwksUrl: 'https://login.example.com/jwks' } },
    { oidc: { jwksUrl: 'https://login.example.com/jwks', insecureAllowHTTP: true } },
    'equivalent',
  ],
  [
    'a policy permits a URI of a template',
    {},
    more(
      'permit(principal in Group::"staff", action == Action::"read_resource", resource == Resource::"docs://hr/salaries");',
    ),
    'wider',
  ],
  [
    'a policy permits more URIs by a pattern',
    {},
    more(
      'permit(principal in Group::"staff", action == Action::"read_resource", resource) when { resource.uri like "docs://hr/*" };',
    ),
    'wider',
  ],
  [
    'a policy permits a formerly forbidden URI of a template',
    more('forbid(principal, action == Action::"read_resource", resource == Resource::"docs://open/secret");'),
    {},
    'wider',
  ],
  ['a forbid is removed', {}, { policies: POLICIES.slice(0, 3) }, 'wider'],
  ['a permit is removed', {}, { policies: POLICIES.slice(1) }, 'narrower'],
  ['a CA bundle is added for the backend', {}, { entry: caBundleRef('one') }, 'wider'],
  ['the backend has another CA bundle', { entry: caBundleRef('one') }, { entry: caBundleRef('two') }, 'mixed'],
  ['a fixed header has another value', headers({ 'X-Role': 'reader' }), headers({ 'X-Role': 'admin' }), 'mixed'],
  ['a header comes from another Secret', secret('one'), secret('two'), 'mixed'],
  ['a filter has more tools', tools({ filter: ['read'] }), tools({ filter: ['read', 'write'] }), 'wider'],
  ['a filter has fewer tools', tools({ filter: ['read', 'write'] }), tools({ filter: ['read'] }), 'narrower'],
  ['a filter is removed', tools({ filter: ['read'] }), {}, 'wider'],
  [
    'tools are no longer hidden by default',
    { config: { aggregation: { defaultToolVisibility: 'deny' } } },
    {},
    'wider',
  ],
  [
    'tools get another prefix',
    {},
    { config: { aggregation: { conflictResolutionConfig: { prefixFormat: '{workload}__' } } } },
    'mixed',
  ],
  ['a tool gets another name', {}, tools({ overrides: { write: { name: 'edit' } } }), 'mixed'],
  ['a tool gets another description', {}, tools({ overrides: { write: { description: 'Writes.' } } }), 'mixed'],
  [
    'an override gives a tool another name',
    tools({ overrides: { write: { name: 'edit' } } }),
    tools({ overrides: { write: { name: 'put' } } }),
    'mixed',
  ],
  [
    'an override has another description and other annotations',
    tools({ overrides: { write: { description: 'Writes.', annotations: { title: 'W', readOnlyHint: true } } } }),
    tools({
      overrides: {
        write: {
          description: 'Puts.',
          annotations: {
            title: 'P',
            readOnlyHint: false,
            destructiveHint: true,
            idempotentHint: true,
            openWorldHint: true,
          },
        },
      },
    }),
    'mixed',
  ],
  [
    'an override gets an annotation',
    tools({ overrides: { write: { description: 'Writes.' } } }),
    tools({ overrides: { write: { description: 'Writes.', annotations: { readOnlyHint: true } } } }),
    'mixed',
  ],
  [
    'a hidden tool gets another description',
    tools({ filter: ['read'], overrides: { write: { description: 'Writes.' } } }),
    tools({ filter: ['read'], overrides: { write: { description: 'Puts.' } } }),
    'equivalent',
  ],
  [
    'a hidden tool gets another name, which may be that of an offered tool',
    tools({ filter: ['read'], overrides: { write: { name: 'edit' } } }),
    tools({ filter: ['read'], overrides: { write: { name: 'put' } } }),
    'mixed',
  ],
  [
    'a tool gets another name where no caller may call tools with these names',
    { policies: ONLY_READ, ...tools({ overrides: { write: { name: 'edit' } } }) },
    { policies: ONLY_READ, ...tools({ overrides: { write: { name: 'put' } } }) },
    'equivalent',
  ],
  [
    'a tool that no caller could call gets another description',
    { policies: ONLY_READ },
    { policies: POLICIES.slice(0, 1), ...tools({ overrides: { write: { description: 'Writes.' } } }) },
    'wider',
  ],
  [
    'tools get another prefix where no caller may call tools or get prompts',
    { policies: [NO_NAMES] },
    {
      policies: [NO_NAMES],
      config: { aggregation: { conflictResolutionConfig: { prefixFormat: '{workload}__' } } },
    },
    'equivalent',
  ],
  ['all policies are removed', {}, { policies: [] }, 'wider'],
  ['groups get another entity type', {}, { authz: { groupEntityType: 'Team' } }, 'narrower'],
  [
    'an entity gets an attribute that a policy reads',
    {
      policies: ['permit(principal, action, resource) when { Group::"g".open };'],
      entities: [{ uid: { type: 'Group', id: 'g' }, attrs: { open: false }, parents: [] }],
    },
    {
      policies: ['permit(principal, action, resource) when { Group::"g".open };'],
      entities: [{ uid: { type: 'Group', id: 'g' }, attrs: { open: true }, parents: [] }],
    },
    'wider',
  ],
  [
    'an entity gets a parent',
    { entities: [{ ...child('Group', 'staff', 'x'), parents: [] }] },
    { entities: [child('Group', 'staff', 'admins')] },
    'wider',
  ],
  [
    'policies change order, names and spaces',
    {},
    { policies: POLICIES.toReversed().map((text, at) => `@id("p${at}")  ${text}`) },
    'equivalent',
  ],
  [
    'a condition is written differently',
    { policies: ['permit(principal, action, resource) when { principal in Group::"a" || principal in Group::"b" };'] },
    {
      policies: [
        'permit(principal in Group::"b", action, resource);',
        'permit(principal in Group::"a", action, resource);',
      ],
    },
    'equivalent',
  ],
  [
    'a policy is added that permits nothing more',
    {},
    more(
      'permit(principal in Group::"admins", action == Action::"call_tool", resource) when { context has claim_sub };',
    ),
    'equivalent',
  ],
  [
    'a forbid is added that fails for some callers',
    { policies: ['permit(principal, action, resource);'] },
    {
      policies: [
        'permit(principal, action, resource);',
        'forbid(principal, action, resource) when { context.claim_level == "low" };',
      ],
    },
    'narrower',
  ],
  [
    'a claim must have another value',
    { policies: ['permit(principal, action, resource) when { context has claim_team && context.claim_team == "a" };'] },
    {
      policies: [
        'permit(principal, action, resource) when { context has claim_team && ["a", "b"].contains(context.claim_team) };',
      ],
    },
    'wider',
  ],
];

describe.each([
  ['with a lock', OFFER],
  ['without a lock', undefined],
])('%s', (_, offers) => {
  test.each(ROWS)(
    'lintel diff with and without a tool lock finds the classification $3: %s',
    (_, before, after, classification) => {
      const [was, is] = [exposureOf(before, offers), exposureOf(after, offers)];
      expect(diffExposure(was, is).classification).toBe(classification);
      expect(diffExposure(is, was).classification).toBe(OPPOSITE[classification]);
    },
  );
});

test('lintel diff without a tool lock assumes the worst annotations of the tools of a workflow', () => {
  const config = {
    aggregation: { defaultToolVisibility: 'deny' },
    compositeTools: [{ name: 'flow', description: 'Reads.', steps: [{ id: 'a', tool: 'docs.read' }] }],
  };
  const permit = 'permit(principal in Group::"admins", action, resource);';
  const forbid =
    'forbid(principal, action, resource) when { resource has destructiveHint && resource.destructiveHint };';
  const [was, is] = [
    { config, policies: [permit, forbid] },
    { config, policies: [permit] },
  ] as const;
  const between = (offers: Offers | undefined) => diffExposure(exposureOf(was, offers), exposureOf(is, offers));
  expect(between(undefined).classification).toBe('wider');
  expect(between(OFFER).classification).toBe('equivalent');
});

/** Leaves without a row: those that follow from other leaves, keys of list items, and those that a gateway with one backend cannot have. */
const NOT_WRITTEN: readonly string[] = [
  'incomingAuth.type',
  'authorization.policies[].listText',
  'authorization.entities[].uid.type',
  'authorization.entities[].uid.id',
  'authorization.entities[].parents[].type',
  'authorization.entities[].parents[].id',
  'authorization.entities[].tags',
  'authorization.server',
  'authorization.multiValuedClaims',
  'backends[]',
  'backends[].locked',
  'backends[].locked.tools',
  'backends[].locked.prompts',
  'backends[].locked.resources',
  'backends[].locked.resourceTemplates',
  'aggregation.strategy',
  'aggregation.priorityOrder',
];

test('lintel diff is incomplete if only one side has a tool lock', () => {
  expect(diffExposure(exposureOf({}, undefined), exposureOf({}, OFFER)).complete).toBe(false);
});

/** Leaves that the rows above change, where the comparison of callers reports the effect. */
test("a case of this test changes each innermost field of the bundle that lintel diff compares by the field's effect on callers", () => {
  const changed = ROWS.flatMap(([, before, after]) =>
    diffLeaves(exposureOf(before, OFFER).plan, exposureOf(after, OFFER).plan, GATEWAY_LEAVES),
  );
  const patterns = new Set(changed.map(({ pattern }) => pattern));
  const derived = Object.entries(GATEWAY_LEAVES).filter(([, { effect }]) => effect === 'derived');
  const left = derived.map(([pattern]) => pattern).filter(pattern => !patterns.has(pattern));
  expect(left).toEqual(NOT_WRITTEN);
});

test('lintel diff names the callers whose access changed, and the tools that they gain', () => {
  const { callers } = diffExposure(exposureOf({}, OFFER), exposureOf({ policies: POLICIES.slice(0, 3) }, OFFER));
  expect(callers.map(({ who, gained, lost }) => [who, gained.map(({ name }) => name), lost])).toEqual([
    [
      'principal in Group::"admins" && principal in Group::"interns"',
      [
        'any other tool of backend docs',
        'docs_drop',
        'docs_read',
        'docs_write',
        'any other prompt',
        'docs_guide',
        'any other resource',
        'docs://handbook',
        'docs://{space}/{page}',
      ],
      [],
    ],
    ['principal in Group::"staff" && principal in Group::"interns"', ['docs_read'], []],
    [
      'principal in Group::"staff" && principal in Group::"interns" && resource.uri like "docs://open/*"',
      ['any other resource', 'docs://{space}/{page}'],
      [],
    ],
  ]);
});

describe('alarms without opened access', () => {
  const alarms = (before: Design, after: Design) =>
    diffExposure(exposureOf(before, OFFER), exposureOf(after, OFFER)).changes.flatMap(change => change.alarms);

  const resource = (url: string): Design => ({ resourceUrl: url });
  const audit = (settings: object): Design => ({ config: { audit: settings } });

  test.each<[what: string, before: Design, after: Design, expected: readonly string[]]>([
    [
      'another host of the resource URL',
      resource('https://mcp.example.com'),
      resource('https://mcp.example.net'),
      ['otherSignIn'],
    ],
    [
      'another path of the resource URL',
      resource('https://mcp.example.com'),
      resource('https://mcp.example.com/mcp'),
      [],
    ],
    ['a disabled audit log', audit({ enabled: true }), audit({ enabled: false }), ['unaudited']],
    ['an enabled audit log', audit({ enabled: false }), audit({ enabled: true }), []],
    [
      'events that the audit log excludes',
      audit({ enabled: true }),
      audit({ enabled: true, excludeEventTypes: ['mcp_tool_call'] }),
      ['unaudited'],
    ],
    [
      'a list of events that the audit log records',
      audit({ enabled: true }),
      audit({ enabled: true, eventTypes: ['mcp_tool_call'] }),
      ['unaudited'],
    ],
  ])(
    'lintel diff raises the alarms $3 for a change by which callers gain no access: %s',
    (_, before, after, expected) => {
      expect(alarms(before, after)).toEqual(expected);
    },
  );
});
