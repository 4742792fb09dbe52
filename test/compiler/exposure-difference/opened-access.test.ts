/** Changes that open access or send a credential elsewhere, without a change in the policies for locked tools. */
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
  ['another claim lists groups', {}, { authz: { groupClaimName: 'teams' } }, 'mixed'],
  [
    'a claim of roles counts too',
    { policies: POLICIES.slice(0, 3) },
    { policies: POLICIES.slice(0, 3), authz: { roleClaimName: 'wids' } },
    'wider',
  ],
  ['a group becomes a child of admins', {}, { entities: [child('Group', 'staff', 'admins')] }, 'wider'],
  ['a client becomes a child of admins', {}, { entities: [child('Client', 'bob', 'admins')] }, 'wider'],
  ['a group becomes a child of interns', {}, { entities: [child('Group', 'staff', 'interns')] }, 'narrower'],
  ['keys of another host', {}, { oidc: { jwksUrl: 'https://keys.example.net/jwks' } }, 'mixed'],
  ['opaque tokens', {}, { oidc: { introspectionUrl: 'https://login.example.com/introspect' } }, 'wider'],
  [
    'opaque tokens by the word of another host',
    { oidc: { introspectionUrl: 'https://login.example.com/introspect' } },
    { oidc: { introspectionUrl: 'https://login.example.net/introspect' } },
    'mixed',
  ],
  ['another authority for the provider', { oidc: caBundleRef('one') }, { oidc: caBundleRef('two') }, 'mixed'],
  ['plain http to the provider', {}, { oidc: { insecureAllowHTTP: true } }, 'wider'],
  [
    'plain http to a provider of which only an https URL is read',
    { oidc: { jwksUrl: 'https://login.example.com/jwks' } },
    { oidc: { jwksUrl: 'https://login.example.com/jwks', insecureAllowHTTP: true } },
    'equivalent',
  ],
  [
    'a policy permits URIs under a template',
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
    'a forbidden URI under a template is permitted',
    more('forbid(principal, action == Action::"read_resource", resource == Resource::"docs://open/secret");'),
    {},
    'wider',
  ],
  ['a forbid is gone', {}, { policies: POLICIES.slice(0, 3) }, 'wider'],
  ['a permit is gone', {}, { policies: POLICIES.slice(1) }, 'narrower'],
  ['an authority for the backend', {}, { entry: caBundleRef('one') }, 'wider'],
  ['another authority for the backend', { entry: caBundleRef('one') }, { entry: caBundleRef('two') }, 'mixed'],
  ['another value of a fixed header', headers({ 'X-Role': 'reader' }), headers({ 'X-Role': 'admin' }), 'mixed'],
  ['a header from another Secret', secret('one'), secret('two'), 'mixed'],
  ['a wider filter', tools({ filter: ['read'] }), tools({ filter: ['read', 'write'] }), 'wider'],
  ['a narrower filter', tools({ filter: ['read', 'write'] }), tools({ filter: ['read'] }), 'narrower'],
  ['no filter', tools({ filter: ['read'] }), {}, 'wider'],
  ['tools are no longer hidden', { config: { aggregation: { defaultToolVisibility: 'deny' } } }, {}, 'wider'],
  [
    'another prefix',
    {},
    { config: { aggregation: { conflictResolutionConfig: { prefixFormat: '{workload}__' } } } },
    'mixed',
  ],
  ['a tool with another name', {}, tools({ overrides: { write: { name: 'edit' } } }), 'mixed'],
  ['a tool with another description', {}, tools({ overrides: { write: { description: 'Writes.' } } }), 'mixed'],
  [
    'a name back',
    tools({ overrides: { write: { name: 'edit' } } }),
    tools({ overrides: { write: { name: 'put' } } }),
    'mixed',
  ],
  [
    'a description and hints of an override',
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
    'a hint is added to an override',
    tools({ overrides: { write: { description: 'Writes.' } } }),
    tools({ overrides: { write: { description: 'Writes.', annotations: { readOnlyHint: true } } } }),
    'mixed',
  ],
  [
    'a hidden tool with another description',
    tools({ filter: ['read'], overrides: { write: { description: 'Writes.' } } }),
    tools({ filter: ['read'], overrides: { write: { description: 'Puts.' } } }),
    'equivalent',
  ],
  [
    'a hidden tool with another name, which may be that of a tool that is shown',
    tools({ filter: ['read'], overrides: { write: { name: 'edit' } } }),
    tools({ filter: ['read'], overrides: { write: { name: 'put' } } }),
    'mixed',
  ],
  [
    'a tool with another name, where nobody may call tools of these names',
    { policies: ONLY_READ, ...tools({ overrides: { write: { name: 'edit' } } }) },
    { policies: ONLY_READ, ...tools({ overrides: { write: { name: 'put' } } }) },
    'equivalent',
  ],
  [
    'a tool with another description, which nobody could call before',
    { policies: ONLY_READ },
    { policies: POLICIES.slice(0, 1), ...tools({ overrides: { write: { description: 'Writes.' } } }) },
    'wider',
  ],
  [
    'another prefix, where nobody may call tools or get prompts',
    { policies: [NO_NAMES] },
    {
      policies: [NO_NAMES],
      config: { aggregation: { conflictResolutionConfig: { prefixFormat: '{workload}__' } } },
    },
    'equivalent',
  ],
  ['no policies', {}, { policies: [] }, 'wider'],
  ['groups of another type', {}, { authz: { groupEntityType: 'Team' } }, 'narrower'],
  [
    'attributes of an entity that a policy reads',
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
    'a parent of an entity',
    { entities: [{ ...child('Group', 'staff', 'x'), parents: [] }] },
    { entities: [child('Group', 'staff', 'admins')] },
    'wider',
  ],
  [
    'the same policies in another order, with other names and spaces',
    {},
    { policies: POLICIES.toReversed().map((text, at) => `@id("p${at}")  ${text}`) },
    'equivalent',
  ],
  [
    'a condition in other words',
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
    'a policy that adds nothing',
    {},
    more(
      'permit(principal in Group::"admins", action == Action::"call_tool", resource) when { context has claim_sub };',
    ),
    'equivalent',
  ],
  [
    'a policy that can fail denies',
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
    'a claim of another value',
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
  test.each(ROWS)('%s', (_, before, after, classification) => {
    const [was, is] = [exposureOf(before, offers), exposureOf(after, offers)];
    expect(diffExposure(was, is).classification).toBe(classification);
    expect(diffExposure(is, was).classification).toBe(OPPOSITE[classification]);
  });
});

test('a policy on a hint that a workflow gets from its tools opens the workflow, where no lock knows these', () => {
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

test('with a lock of one side only nothing is the same for certain', () => {
  expect(diffExposure(exposureOf({}, undefined), exposureOf({}, OFFER)).complete).toBe(false);
});

/** Leaves that the rows above change, where the comparison of callers reports the effect. */
test('each leaf that is left to the comparison of callers is in a row', () => {
  const changed = ROWS.flatMap(([, before, after]) =>
    diffLeaves(exposureOf(before, OFFER).plan, exposureOf(after, OFFER).plan, GATEWAY_LEAVES),
  );
  const patterns = new Set(changed.map(({ pattern }) => pattern));
  const derived = Object.entries(GATEWAY_LEAVES).filter(([, { effect }]) => effect === 'derived');
  const left = derived.map(([pattern]) => pattern).filter(pattern => !patterns.has(pattern));
  expect(left).toEqual(NOT_WRITTEN);
});

test('the headline names those whose access changed', () => {
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

describe('what is on top although it opens nothing', () => {
  const alarms = (before: Design, after: Design) =>
    diffExposure(exposureOf(before, OFFER), exposureOf(after, OFFER)).changes.flatMap(change => change.alarms);

  const resource = (url: string): Design => ({ resourceUrl: url });
  const audit = (settings: object): Design => ({ config: { audit: settings } });

  test.each<[what: string, before: Design, after: Design, expected: readonly string[]]>([
    [
      'another host to which clients turn to sign in',
      resource('https://mcp.example.com'),
      resource('https://mcp.example.net'),
      ['otherSignIn'],
    ],
    ['another path of the same host', resource('https://mcp.example.com'), resource('https://mcp.example.com/mcp'), []],
    ['an audit log that is switched off', audit({ enabled: true }), audit({ enabled: false }), ['unaudited']],
    ['an audit log that is switched on', audit({ enabled: false }), audit({ enabled: true }), []],
    [
      'events that the audit log leaves out',
      audit({ enabled: true }),
      audit({ enabled: true, excludeEventTypes: ['mcp_tool_call'] }),
      ['unaudited'],
    ],
    [
      'events that the audit log records alone',
      audit({ enabled: true }),
      audit({ enabled: true, eventTypes: ['mcp_tool_call'] }),
      ['unaudited'],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(alarms(before, after)).toEqual(expected);
  });
});
