/** Changes that open access or send a credential elsewhere, without a change in the policies for locked tools. */
import { describe, expect, test } from 'vitest';
import { type Classification, diffExposure, type Exposure } from '#compiler';
import { diffLeaves } from '../../../compiler/analysis/exposure/plan/diff-leaves.ts';
import { GATEWAY_LEAVES } from '../../../compiler/analysis/exposure/plan/gateway-leaves.ts';
import type { Offers } from '../../support/gateway-rule.ts';
import { TEST_AUTHORITY, TEST_CERTIFICATE } from '../../support/tls-fixture.ts';
import { exposures } from '../exposure/sample.ts';

const API = 'apiVersion: lintel.dev/v1beta1';
const CA = (name: string, body: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, labels: { lintel.dev/watch: "true" } }
data: { ca.crt: ${JSON.stringify(body)} }
---
`;

interface Design {
  readonly policies?: readonly string[];
  readonly entities?: readonly object[];
  /** Members of `incomingAuth.authzConfig`, of the OIDC provider, of the backend and of the gateway's configuration. */
  readonly authz?: object;
  readonly oidc?: object;
  readonly entry?: object;
  readonly config?: object;
}

const POLICIES = [
  'permit(principal in Group::"admins", action, resource);',
  'permit(principal in Group::"staff", action == Action::"call_tool", resource == Tool::"docs_read");',
  'permit(principal in Group::"staff", action == Action::"read_resource", resource) when { resource.uri like "docs://open/*" };',
  'forbid(principal in Group::"interns", action, resource);',
];

function specs({ policies = POLICIES, entities, authz = {}, oidc = {}, entry = {}, config = {} }: Design): string {
  const inline = { policies, ...(entities === undefined ? {} : { entitiesJson: JSON.stringify(entities) }) };
  const spec = (kind: string, name: string, body: object) =>
    `${API}\nkind: ${kind}\nmetadata: { name: ${name} }\nspec: ${JSON.stringify(body)}\n`;
  return [
    `${CA('one', TEST_AUTHORITY)}${CA('two', TEST_CERTIFICATE)}${API}\nkind: MCPGroup\nmetadata: { name: all }\n`,
    spec('MCPOIDCConfig', 'corp', { type: 'inline', inline: { issuer: 'https://login.example.com', ...oidc } }),
    spec('MCPServerEntry', 'docs', {
      groupRef: { name: 'all' },
      remoteUrl: 'https://docs.example.com/mcp',
      transport: 'streamable-http',
      ...entry,
    }),
    spec('VirtualMCPServer', 'gw', {
      groupRef: { name: 'all' },
      incomingAuth: {
        type: 'oidc',
        oidcConfigRef: { name: 'corp', audience: 'https://mcp.example.com' },
        ...(policies.length === 0 ? {} : { authzConfig: { type: 'inline', inline, ...authz } }),
      },
      config,
    }),
  ].join('---\n');
}

const ONLY_READ = [
  'permit(principal in Group::"admins", action == Action::"call_tool", resource == Tool::"docs_read");',
];
const NO_NAMES = 'permit(principal in Group::"admins", action == Action::"read_resource", resource);';

const OFFER: Offers = {
  'default/MCPServerEntry/docs': {
    tools: ['read', 'write', 'drop'],
    prompts: [{ name: 'guide' }],
    resources: [{ uri: 'docs://handbook', name: 'handbook' }],
    resourceTemplates: [{ uriTemplate: 'docs://{space}/{page}', name: 'page' }],
  },
};

function exposureOf(design: Design, offers: Offers | undefined): Exposure {
  const [exposure] = exposures(specs(design), offers);
  if (exposure === undefined) throw new Error(`the specs have errors: ${specs(design)}`);
  return exposure;
}

const child = (type: string, id: string, parent: string) => ({
  uid: { type, id },
  attrs: {},
  parents: [{ type: 'Group', id: parent }],
});
const more = (...policies: readonly string[]): Design => ({ policies: [...POLICIES, ...policies] });
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

const OPPOSITE = {
  wider: 'narrower',
  narrower: 'wider',
  mixed: 'mixed',
  equivalent: 'equivalent',
  unclassified: 'unclassified',
} as const;

/** A permit for calls with certain arguments or claims. */
const where = (condition: string): Design =>
  more(`permit(principal, action == Action::"call_tool", resource) when { ${condition} };`);
const amount = (condition: string) => where(`context has arg_n && (${condition})`);

describe('a condition on an integer', () => {
  test.each([
    ['context.arg_n < 10', 'context.arg_n <= 9', 'equivalent'],
    ['context.arg_n < 10', '10 > context.arg_n', 'equivalent'],
    ['context.arg_n < 10', '!(context.arg_n >= 10)', 'equivalent'],
    ['context.arg_n >= 10', '9 < context.arg_n', 'equivalent'],
    ['context.arg_n > 3 && context.arg_n < 5', 'context.arg_n == 4', 'mixed'],
    ['context.arg_n < 10 && context.arg_n < 20', 'context.arg_n < 10', 'equivalent'],
    ['context.arg_n < 10', 'context.arg_n < 20', 'wider'],
    ['context.arg_n > 10', 'context.arg_n > 20', 'narrower'],
    // An equality is false of a text, and a comparison with a text fails, which denies.
    ['context.arg_n == 5', 'context.arg_n < 10', 'mixed'],
    ['context.arg_n < 10 && context.arg_n == 5', 'context.arg_n < 10', 'wider'],
    ['context.arg_n < 10', 'context.arg_n > 10', 'mixed'],
    ['context.arg_n < 9007199254740991', 'context.arg_n <= 9007199254740991', 'mixed'],
    ['context.arg_n < 10', 'context.arg_n < 10 || context.arg_n >= 10', 'wider'],
  ] as const)('%s -> %s: %s', (before, after, classification) => {
    const [was, is] = [exposureOf(amount(before), OFFER), exposureOf(amount(after), OFFER)];
    expect(diffExposure(was, is).classification).toBe(classification);
    expect(diffExposure(is, was).classification).toBe(OPPOSITE[classification]);
  });
});

describe('what opens is said as Cedar says it', () => {
  test.each([
    ['context has arg_n && context.arg_n < 10', 'context.arg_n < 10'],
    ['context has arg_n && context.arg_n >= 10', 'context.arg_n >= 10'],
    ['context has arg_n && context.arg_n > 3 && context.arg_n <= 9', 'context.arg_n <= 9 && context.arg_n > 3'],
    ['context has arg_n && context.arg_n + 2 < 10', 'context has arg_n && context.arg_n + 2 < 10'],
    ['context has "claim_my team" && context["claim_my team"] like "a*"', 'context["claim_my team"] like "a*"'],
    ['context has claim_x && context.claim_x == "a\\"b"', 'context.claim_x == "a\\"b"'],
    ['context has claim_x && context.claim_x == User::"ann"', 'context.claim_x == User::"ann"'],
    ['context has arg_list && context.arg_list.isEmpty()', 'context.arg_list.isEmpty()'],
    ['context has arg_list && context.arg_list.contains("x")', 'context.arg_list.contains("x")'],
    ['context has arg_n', 'context has arg_n'],
    [
      'context has arg_a && context has arg_b && context.arg_a < context.arg_b',
      'context has arg_b && context.arg_a < context.arg_b',
    ],
  ])('%s', (condition, text) => {
    const { callers } = diffExposure(exposureOf({}, OFFER), exposureOf(where(condition), OFFER));
    const gained = callers.filter(({ gained }) => gained.some(({ name }) => name === 'docs_drop'));
    expect(gained.map(({ who }) => who.replace(/, unless .*/, ''))).toEqual([text]);
  });
});

test('a forbid with `unless` is read as what it asks for', () => {
  const design = more(
    'forbid(principal, action, resource) unless { principal in Group::"staff" && context has claim_team };',
  );
  const { changes } = diffExposure(exposureOf({}, OFFER), exposureOf(design, OFFER));
  const [change] = changes.filter(({ name }) => name === 'docs_drop');
  expect(change?.aspects).toEqual([
    {
      name: 'may call',
      before: 'principal in Group::"admins", unless principal in Group::"interns"',
      after:
        'principal in Group::"admins", only if principal in Group::"staff" && context has claim_team, unless principal in Group::"interns"',
      effect: 'narrower',
    },
  ]);
});

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
