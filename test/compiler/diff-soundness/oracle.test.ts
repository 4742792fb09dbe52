/** Tests the oracle itself, with changes whose effect is known. */

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
  ['no change', 'equivalent', () => {}],
  [
    'incoming authentication becomes anonymous',
    'wider',
    design => {
      design.incoming = { type: 'anonymous' };
    },
    design => delete design.authorization,
  ],
  [
    'groups come from another claim',
    'mixed',
    design => {
      authorization(design).groupClaim = 'realm.roles';
    },
  ],
  [
    'a role claim adds groups',
    'wider',
    design => {
      authorization(design).roleClaim = 'teams';
    },
    // Where interns are forbidden something, a role may also take rights away.
    design => authorization(design).policies.pop(),
  ],
  [
    'groups get an entity type that no policy names',
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
    'token keys come from another host',
    'mixed',
    design => {
      design.incoming.jwksUrl = 'https://keys.example.org/jwks';
    },
  ],
  [
    'the gateway accepts opaque tokens',
    'wider',
    design => {
      design.incoming.introspectionUrl = 'https://login.example.org/introspect';
    },
  ],
  [
    'another CA certifies the provider',
    'mixed',
    design => {
      design.incoming.ca = 'corp';
    },
  ],
  [
    'keys may be fetched over plain http',
    'wider',
    design => {
      design.incoming.allowHttp = true;
    },
    design => {
      design.incoming.issuer = 'https://mixed.example.org';
    },
  ],
  [
    'keys may be at a private address',
    'wider',
    design => {
      design.incoming.allowPrivate = true;
    },
    design => {
      design.incoming.jwksUrl = 'https://inner.example.org/jwks';
    },
  ],
  [
    'tokens have another audience',
    'mixed',
    design => {
      design.incoming.audience = OTHER_AUDIENCE;
    },
  ],
  [
    'a scope is required',
    'narrower',
    design => {
      design.incoming.scopes = ['mcp'];
    },
    design => {
      design.incoming.form = 'config';
    },
  ],
  [
    'a policy permits a URI of a template',
    'wider',
    design =>
      authorization(design).policies.push(
        'permit(principal, action == Action::"read_resource", resource == Resource::"docs://hr/salaries");',
      ),
  ],
  ['a forbid is removed', 'wider', design => authorization(design).policies.pop()],
  [
    'a forbid is added for a group that is forbidden everything',
    'equivalent',
    design =>
      authorization(design).policies.push(
        'forbid(principal in Group::"interns", action == Action::"call_tool", resource);',
      ),
  ],
  [
    'a forbid is added for another group',
    'narrower',
    design => authorization(design).policies.push('forbid(principal in Group::"ghosts", action, resource);'),
  ],
  [
    'a tool filter is added',
    'narrower',
    design => {
      design.aggregation.tools = { alpha: { filter: ['read', 'write'] } };
    },
  ],
  [
    'all tools are hidden by default',
    'narrower',
    design => {
      design.aggregation.visibility = 'deny';
    },
  ],
  [
    'tools get another prefix',
    'mixed',
    design => {
      design.aggregation.prefixFormat = '{workload}-';
    },
    design => {
      authorization(design).policies = ['permit(principal, action, resource);'];
    },
  ],
  [
    'a tool gets another description',
    'changed',
    design => {
      design.aggregation.tools = { alpha: { overrides: { read: { description: 'Reads all.' } } } };
    },
  ],
  [
    'a backend moves to another host',
    'changed',
    design => {
      alpha(design).url = 'https://alpha.example.net/mcp';
    },
  ],
  [
    'a CA bundle is added for a backend',
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
    'a fixed header is added',
    'changed',
    design => {
      alpha(design).headers = { 'X-Role': 'admin' };
    },
  ],
  [
    'a header comes from another Secret',
    'changed',
    design => {
      alpha(design).secretHeaders = { 'X-Role': 'admin' };
    },
    design => {
      alpha(design).secretHeaders = { 'X-Role': 'reader' };
    },
  ],
  [
    'a header of callers is forwarded',
    'changed',
    design => {
      design.passthroughHeaders = ['X-Tenant'];
    },
  ],
  [
    'a backend gets a credential',
    'changed',
    design => {
      alpha(design).credential = { type: 'headerInjection', header: 'X-Key', secret: 'admin' };
    },
  ],
  [
    'exchanged tokens get more scopes',
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
    'a backend is added',
    'wider',
    design => {
      design.backends.gamma = { url: 'https://gamma.example.com/mcp', transport: 'sse' };
    },
  ],
  [
    'a backend with a more specific URI template is added',
    'mixed',
    design => {
      design.backends.beta = { url: 'https://beta.example.com/mcp', transport: 'sse' };
    },
  ],
  [
    'a workflow is added that admins may call',
    'wider',
    design => {
      design.workflows = { flow: { steps: [{ tool: 'alpha.read' }] } };
    },
  ],
  [
    'a workflow is added that no caller may call',
    'equivalent',
    design => {
      design.workflows = { flow: { steps: [{ tool: 'alpha.read' }] } };
    },
    design => {
      authorization(design).policies.push('forbid(principal, action == Action::"call_tool", resource);');
    },
  ],
  [
    'developers may call a workflow with a tool that they may not call directly',
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
    'a workflow step calls another tool',
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

test.each(TABLE)('the oracle for lintel diff judges a change as $verdict: $what', async ({ verdict, change, base }) => {
  const before = structuredClone(BASE);
  base(before);
  const after = structuredClone(before);
  change(after);
  const found = await oracle.compare(bundleOf(before), bundleOf(after), { isWhole: true });
  expect(found.verdict).toBe(verdict);
});

test('the oracle for lintel diff repeats a sign-in if the identity provider does not answer in time, and does not count it as refused', async () => {
  await oracle.close();
  oracle = await Oracle.start({ unanswered: 3 });
  const host = 'https://login.example.org';
  const incoming = { ...BASE.incoming, jwksUrl: `${host}/jwks`, introspectionUrl: `${host}/introspect` };
  const [before, after] = [incoming, { ...incoming, allowHttp: true }].map(one =>
    bundleOf({ ...BASE, incoming: one } as Design),
  );
  expect(await oracle.compare(before as GatewayBundle, after as GatewayBundle)).toMatchObject({ gained: [], lost: [] });
});
