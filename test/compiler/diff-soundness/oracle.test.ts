/** Checks the oracle itself: with changes whose effect is known. */

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { GatewayBundle } from '#schemas';
import type { OracleVerdict } from './comparison.ts';
import { compiledDesign, errorsIn } from './compiled.ts';
import type { Design } from './design.ts';
import { Oracle } from './oracle.ts';
import { AUDIENCE, OTHER_AUDIENCE } from './world/callers.ts';

// Hundreds of compilations and comparisons, whose duration depends on the machine.
vi.setConfig({ testTimeout: 0, hookTimeout: 0 });

/** One backend, where admins may do everything and developers may read. */
const BASE: Design = {
  incoming: { type: 'oidc', issuer: 'https://login.example.org', audience: AUDIENCE },
  authorization: {
    policies: [
      'permit(principal in Group::"admins", action, resource);',
      'permit(principal in Group::"dev", action == Action::"call_tool", resource == Tool::"alpha_read");',
      'permit(principal in Group::"dev", action == Action::"read_resource", resource) when { resource.uri like "docs://open/*" };',
      'forbid(principal in Group::"interns", action, resource);',
    ],
  },
  aggregation: {},
  backends: { alpha: { url: 'https://alpha.example.com/mcp', transport: 'streamable-http' } },
  lock: {},
};

let oracle: Oracle;
beforeAll(async () => {
  oracle = await Oracle.start();
});
afterAll(() => oracle.close());

function bundleOf(design: Design): GatewayBundle {
  const compiled = compiledDesign(design);
  if (compiled === undefined) throw new Error(errorsIn(design).join('\n'));
  return compiled.bundle;
}

/** A change of a design. Further members in `base` apply to both sides. */
type Case = readonly [
  what: string,
  verdict: OracleVerdict,
  change: (design: Design) => void,
  base?: (design: Design) => void,
];

const authorization = (design: Design) => design.authorization as NonNullable<Design['authorization']>;
const alpha = (design: Design) => design.backends.alpha as Design['backends'][string];

const CASES: readonly Case[] = [
  ['nothing changes', 'equivalent', () => {}],
  [
    'everybody is let in',
    'wider',
    design => {
      design.incoming = { type: 'anonymous' };
    },
    design => delete design.authorization,
  ],
  [
    'another claim lists groups',
    'mixed',
    design => {
      authorization(design).groupClaim = 'realm.roles';
    },
  ],
  [
    'roles count as groups too',
    'wider',
    design => {
      authorization(design).roleClaim = 'teams';
    },
    // Where interns are forbidden something, a role may also take rights away.
    design => authorization(design).policies.pop(),
  ],
  [
    'groups have another type, which no policy names',
    'narrower',
    design => {
      authorization(design).groupType = 'Team';
    },
    design => {
      authorization(design).entities = [{ uid: { type: 'Group', id: 'admins' }, attrs: {}, parents: [] }];
    },
  ],
  [
    'a group becomes a child of admins',
    'wider',
    design => {
      const parents = [{ type: 'Group', id: 'admins' }];
      authorization(design).entities = [{ uid: { type: 'Group', id: 'leads' }, attrs: {}, parents }];
    },
  ],
  [
    'keys of another host',
    'mixed',
    design => {
      design.incoming.jwksUrl = 'https://keys.example.org/jwks';
    },
  ],
  [
    'opaque tokens of a host',
    'wider',
    design => {
      design.incoming.introspectionUrl = 'https://login.example.org/introspect';
    },
  ],
  [
    'another authority certifies the provider',
    'mixed',
    design => {
      design.incoming.ca = 'corp';
    },
  ],
  [
    'keys that are fetched by plain http',
    'wider',
    design => {
      design.incoming.allowHttp = true;
    },
    design => {
      design.incoming.issuer = 'https://mixed.example.org';
    },
  ],
  [
    'keys at a private address',
    'wider',
    design => {
      design.incoming.allowPrivate = true;
    },
    design => {
      design.incoming.jwksUrl = 'https://inner.example.org/jwks';
    },
  ],
  [
    'tokens for another audience',
    'mixed',
    design => {
      design.incoming.audience = OTHER_AUDIENCE;
    },
  ],
  [
    'a scope is asked for',
    'narrower',
    design => {
      design.incoming.scopes = ['mcp'];
    },
    design => {
      design.incoming.form = 'config';
    },
  ],
  [
    'a policy permits URIs under a template',
    'wider',
    design =>
      authorization(design).policies.push(
        'permit(principal, action == Action::"read_resource", resource == Resource::"docs://hr/salaries");',
      ),
  ],
  ['a forbid is gone', 'wider', design => authorization(design).policies.pop()],
  [
    'a forbid of those who are forbidden everything',
    'equivalent',
    design =>
      authorization(design).policies.push(
        'forbid(principal in Group::"interns", action == Action::"call_tool", resource);',
      ),
  ],
  [
    'a forbid of a group that nobody of the company is in',
    'narrower',
    design => authorization(design).policies.push('forbid(principal in Group::"ghosts", action, resource);'),
  ],
  [
    'a filter',
    'narrower',
    design => {
      design.aggregation.tools = { alpha: { filter: ['read', 'write'] } };
    },
  ],
  [
    'all hidden',
    'narrower',
    design => {
      design.aggregation.visibility = 'deny';
    },
  ],
  [
    'another prefix',
    'mixed',
    design => {
      design.aggregation.prefixFormat = '{workload}-';
    },
    design => {
      authorization(design).policies = ['permit(principal, action, resource);'];
    },
  ],
  [
    'another description',
    'changed',
    design => {
      design.aggregation.tools = { alpha: { overrides: { read: { description: 'Reads all.' } } } };
    },
  ],
  [
    'a backend elsewhere',
    'changed',
    design => {
      alpha(design).url = 'https://alpha.example.net/mcp';
    },
  ],
  [
    'a further authority certifies a backend',
    'wider',
    design => {
      alpha(design).ca = 'corp';
    },
  ],
  [
    'a backend may be at a private address',
    'wider',
    design => {
      alpha(design).allowPrivate = true;
    },
  ],
  [
    'a fixed header',
    'changed',
    design => {
      alpha(design).headers = { 'X-Role': 'admin' };
    },
  ],
  [
    'a header out of another Secret',
    'changed',
    design => {
      alpha(design).secretHeaders = { 'X-Role': 'admin' };
    },
    design => {
      alpha(design).secretHeaders = { 'X-Role': 'reader' };
    },
  ],
  [
    'a header of callers is handed on',
    'changed',
    design => {
      design.passthroughHeaders = ['X-Tenant'];
    },
  ],
  [
    'a credential',
    'changed',
    design => {
      alpha(design).credential = { type: 'headerInjection', header: 'X-Key', secret: 'admin' };
    },
  ],
  [
    'more scopes for exchanged tokens',
    'changed',
    design => {
      alpha(design).credential = {
        type: 'tokenExchange',
        tokenUrl: 'https://sts.example.org/token',
        audience: 'alpha',
        scopes: ['write'],
      };
    },
    design => {
      alpha(design).credential = {
        type: 'tokenExchange',
        tokenUrl: 'https://sts.example.org/token',
        audience: 'alpha',
      };
    },
  ],
  [
    'a further backend',
    'wider',
    design => {
      design.backends.gamma = { url: 'https://gamma.example.com/mcp', transport: 'sse' };
    },
  ],
  [
    'a further backend with a closer template',
    'mixed',
    design => {
      design.backends.beta = { url: 'https://beta.example.com/mcp', transport: 'sse' };
    },
  ],
  [
    'a workflow is added, which who may do all may call',
    'wider',
    design => {
      design.workflows = { flow: { steps: [{ tool: 'alpha.read' }] } };
    },
  ],
  [
    'a workflow is added that nobody may call',
    'equivalent',
    design => {
      design.workflows = { flow: { steps: [{ tool: 'alpha.read' }] } };
    },
    design => {
      authorization(design).policies.push('forbid(principal, action == Action::"call_tool", resource);');
    },
  ],
  [
    'developers may call a workflow by its name, and so what they may not call themselves',
    'wider',
    design => {
      authorization(design).policies.push(
        'permit(principal in Group::"dev", action == Action::"call_tool", resource == Tool::"flow");',
      );
    },
    design => {
      design.workflows = { flow: { steps: [{ tool: 'alpha.drop' }] } };
    },
  ],
  [
    'a step calls another tool',
    'changed',
    design => {
      design.workflows = { flow: { steps: [{ tool: 'alpha.drop' }] } };
    },
    design => {
      design.workflows = { flow: { steps: [{ tool: 'alpha.read' }] } };
    },
  ],
];

const TABLE = CASES.map(([what, verdict, change, base = () => {}]) => ({ what, verdict, change, base }));

test.each(TABLE)('$what: $verdict', async ({ verdict, change, base }) => {
  const before = structuredClone(BASE);
  base(before);
  const after = structuredClone(before);
  change(after);
  const found = await oracle.compare(bundleOf(before), bundleOf(after), { isWhole: true });
  expect(found.verdict).toBe(verdict);
});

test('a provider that has no time to answer is asked again, and not taken for one that refuses', async () => {
  await oracle.close();
  oracle = await Oracle.start({ unanswered: 3 });
  const host = 'https://login.example.org';
  const incoming = { ...BASE.incoming, jwksUrl: `${host}/jwks`, introspectionUrl: `${host}/introspect` };
  const [before, after] = [incoming, { ...incoming, allowHttp: true }].map(one =>
    bundleOf({ ...BASE, incoming: one } as Design),
  );
  expect(await oracle.compare(before as GatewayBundle, after as GatewayBundle)).toMatchObject({ gained: [], lost: [] });
});
