/** Kinds of bundle leaves, each with a random change of that leaf. */
import type { BackendDesign, CredentialDesign, Design, Incoming, ToolsDesign, WorkflowDesign } from './design.ts';
import { anyBackend, anyCredential, anyEntities, anyStep, anyWorkflow, WORKFLOWS } from './generate.ts';
import { anyPolicy, argumentPolicy, type Effect, listNamedTools, promptPolicy, uriPolicy } from './policies.ts';
import type { Random } from './random.ts';
import { AUDIENCE, OTHER_AUDIENCE } from './world/callers.ts';
import { BACKENDS } from './world/offers.ts';

export interface Change {
  readonly kind: string;
  /**
   * The effect of the worst change of this leaf. `widens`: callers reach more than before and lose nothing. `moves`: names, addresses,
   * credentials or definitions change their owner, so that callers reach something else.
   */
  readonly effect: 'widens' | 'moves';
  /** Changes the design in place; does nothing where the change is not possible. */
  apply(design: Design, random: Random): void;
}

type Apply = (design: Design, random: Random) => void;
type Authorization = NonNullable<Design['authorization']>;

const change = (effect: Change['effect'], kind: string, apply: Apply): Change => ({ kind, effect, apply });
const widens = (kind: string, apply: Apply): Change => change('widens', kind, apply);
const moves = (kind: string, apply: Apply): Change => change('moves', kind, apply);

export const CHANGES: readonly Change[] = [
  widens('incoming type', ({ incoming, ...design }, random) => {
    // A policy about groups rarely has one effect on callers without groups.
    if (design.authorization !== undefined && random.chance(0.95)) return;
    const isIn = incoming.type === 'oidc';
    for (const member of Object.keys(incoming)) delete incoming[member as keyof Incoming];
    const hasExchange = Object.values(design.backends).some(({ credential }) => credential?.type === 'tokenExchange');
    if (isIn && !hasExchange) incoming.type = 'anonymous';
    else Object.assign(incoming, { type: 'oidc', issuer: 'https://login.example.org', audience: AUDIENCE });
    if (random.chance(0.1) && incoming.type === 'oidc') incoming.audience = OTHER_AUDIENCE;
  }),
  moves(
    'provider issuer',
    provider((incoming, random) => {
      incoming.issuer = `https://${random.pick(['login', 'partner', incoming.allowHttp === true ? 'mixed' : 'partner'])}.example.org`;
    }),
  ),
  moves(
    'provider audience',
    provider(incoming => {
      incoming.audience = incoming.audience === AUDIENCE ? OTHER_AUDIENCE : AUDIENCE;
    }),
  ),
  moves(
    'provider keys URL',
    provider((incoming, random) => {
      const url = random.pick([
        undefined,
        'https://partner',
        'https://keys',
        'https://keys',
        'https://inner',
        'http://plain',
      ]);
      if (url === undefined) delete incoming.jwksUrl;
      else incoming.jwksUrl = `${url}.example.org/jwks`;
    }),
  ),
  widens(
    'provider introspection URL',
    provider((incoming, random) => {
      const host = random.pick([undefined, 'login', 'keys', 'inner']);
      if (host === undefined) delete incoming.introspectionUrl;
      else incoming.introspectionUrl = `https://${host}.example.org/introspect`;
    }),
  ),
  moves(
    'provider CA',
    provider((incoming, random) => {
      const ca = random.pick([undefined, 'corp', 'other'] as const);
      if (ca === undefined || incoming.form === 'config') delete incoming.ca;
      else incoming.ca = ca;
    }),
  ),
  widens(
    'provider plain http',
    provider(incoming => {
      incoming.allowHttp = !(incoming.allowHttp ?? false);
    }),
  ),
  widens(
    'provider private addresses',
    provider(incoming => {
      incoming.allowPrivate = !(incoming.allowPrivate ?? false);
    }),
  ),
  widens(
    'required scopes',
    provider(incoming => {
      if (incoming.form !== 'config') return;
      if (incoming.scopes === undefined) incoming.scopes = ['mcp'];
      else delete incoming.scopes;
    }),
  ),

  widens('authorization', (design, random) => {
    if (design.authorization === undefined) design.authorization = { policies: [anyPolicy('permit', design, random)] };
    else delete design.authorization;
  }),
  // Another claim lists groups first: a caller with both claims is in other groups.
  moves(
    'group claim',
    authorization((authorization, random) => {
      const claim = random.pick([undefined, 'groups', 'teams', 'roles', 'realm.roles']);
      if (claim === undefined) delete authorization.groupClaim;
      else authorization.groupClaim = claim;
    }),
  ),
  widens(
    'role claim',
    authorization((authorization, random) => {
      const claim = random.pick([undefined, 'teams', 'roles', 'realm.roles']);
      if (claim === undefined) delete authorization.roleClaim;
      else authorization.roleClaim = claim;
    }),
  ),
  widens(
    'group type',
    authorization(authorization => {
      if (authorization.groupType === undefined) authorization.groupType = 'Team';
      else delete authorization.groupType;
    }),
  ),
  widens(
    'entities',
    authorization((authorization, random) => {
      if (authorization.entities === undefined || random.chance(0.5))
        authorization.entities = anyEntities(authorization, random);
      else delete authorization.entities;
    }),
  ),
  widens('permits', policies('permit', anyPolicy)),
  widens('forbids', policies('forbid', anyPolicy)),
  widens('permits of URIs', policies('permit', uriPolicy)),
  widens('forbids of URIs', policies('forbid', uriPolicy)),
  widens('permits of prompts', policies('permit', promptPolicy)),
  widens('forbids of prompts', policies('forbid', promptPolicy)),
  widens('permits by arguments', policies('permit', argumentPolicy)),
  widens('forbids by arguments', policies('forbid', argumentPolicy)),

  widens('filter', (design, random) => {
    const [backend, tools] = toolsSettings(design, random);
    const names = [
      ...listNamedTools(backend),
      ...Object.values(tools.overrides ?? {}).flatMap(({ name }) => name ?? []),
    ];
    if (tools.filter === undefined || random.chance(0.6)) tools.filter = [...random.some(names)];
    else delete tools.filter;
  }),
  widens('excluded backend', (design, random) => {
    const [, tools] = toolsSettings(design, random);
    tools.excludeAll = !(tools.excludeAll ?? false);
  }),
  widens('excluded tools', ({ aggregation }) => {
    aggregation.excludeAllTools = !(aggregation.excludeAllTools ?? false);
  }),
  widens('default visibility', ({ aggregation }, random) => {
    const visibility = random.pick([undefined, 'allow', 'deny'] as const);
    if (visibility === undefined) delete aggregation.visibility;
    else aggregation.visibility = visibility;
  }),
  moves('prefix format', ({ aggregation }, random) => {
    const format = random.pick([undefined, '{workload}-', '{workload}.', 'x_']);
    if (format === undefined) delete aggregation.prefixFormat;
    else aggregation.prefixFormat = format;
  }),
  moves('conflict resolution', ({ aggregation, backends }, random) => {
    const strategy = random.pick(['prefix', 'priority', 'manual'] as const);
    aggregation.strategy = strategy;
    if (strategy === 'priority') aggregation.priorityOrder ??= Object.keys(backends);
    else delete aggregation.priorityOrder;
  }),
  moves('priority order', ({ aggregation }, random) => {
    const { priorityOrder = [] } = aggregation;
    if (priorityOrder.length < 2) return;
    aggregation.priorityOrder = random.chance(0.7) ? priorityOrder.toReversed() : priorityOrder.slice(1);
  }),
  moves('names of overrides', (design, random) => {
    const [override, tool] = anyOverride(design, random);
    if (override.name !== undefined && random.chance(0.3)) delete override.name;
    else override.name = random.pick(['fetch', 'store', 'read', 'write'].filter(name => name !== tool));
  }),
  moves('descriptions of overrides', (design, random) => {
    const [override] = anyOverride(design, random);
    override.description = random.pick(['Does it safely.', 'Does everything.']);
  }),
  moves('annotations of overrides', (design, random) => {
    const [override] = anyOverride(design, random);
    const hint = random.pick(['readOnlyHint', 'destructiveHint']);
    override.annotations = { ...override.annotations, [hint]: random.chance(0.5) };
  }),

  widens('workflows', (design, random) => {
    const name = random.pick(WORKFLOWS);
    if (design.workflows?.[name] === undefined)
      design.workflows = { ...design.workflows, [name]: anyWorkflow(Object.keys(design.backends), random) };
    else delete design.workflows[name];
  }),
  moves(
    'steps of workflows',
    workflow(({ steps }, design, random) => {
      const step = anyStep(Object.keys(design.backends), random);
      const at = random.below(steps.length);
      const how = random.pick(['add', 'replace', 'remove'] as const);
      if (how === 'add') steps.splice(at, 0, step);
      else if (how === 'replace') steps[at] = step;
      else if (steps.length > 1) steps.splice(at, 1);
    }),
  ),
  moves(
    'arguments of steps',
    workflow(({ steps }, _, random) => {
      const step = random.pick(steps);
      if (step.path !== undefined && random.chance(0.3)) delete step.path;
      else step.path = random.pick(['/public/a', '/public/b', '/private/a']);
    }),
  ),
  moves(
    'questions of workflows',
    workflow(({ steps }, _, random) => {
      const step = random.pick(steps);
      step.asks = !(step.asks ?? false);
    }),
  ),
  moves(
    'descriptions of workflows',
    workflow((one, _, random) => {
      one.description = random.pick(['Does it safely.', 'Does everything.']);
    }),
  ),

  // URIs of other backends may become its own.
  moves('backends', (design, random) => {
    const name = random.pick(BACKENDS);
    if (design.backends[name] === undefined) design.backends[name] = anyBackend(name, design.incoming, random);
    else if (Object.keys(design.backends).length > 1) delete design.backends[name];
  }),
  moves(
    'backend URL',
    backend((backend, random) => {
      backend.url = random.pick([
        backend.url.replace('.example.com', '.example.net'),
        backend.url.replace('.example.net', '.example.com'),
        `${backend.url}/v2`,
      ]);
    }),
  ),
  moves(
    'backend transport',
    backend(backend => {
      backend.transport = backend.transport === 'sse' ? 'streamable-http' : 'sse';
    }),
  ),
  widens(
    'backend private addresses',
    backend(backend => {
      backend.allowPrivate = !(backend.allowPrivate ?? false);
    }),
  ),
  widens(
    'backend CA',
    backend((backend, random) => {
      const ca = random.pick([undefined, 'corp', 'other'] as const);
      if (ca === undefined) delete backend.ca;
      else backend.ca = ca;
    }),
  ),
  moves(
    'fixed headers',
    backend((backend, random) => {
      const role = random.pick([undefined, 'reader', 'admin']);
      if (role === undefined) delete backend.headers;
      else backend.headers = { [random.pick(['X-Role', 'X-Scope'])]: role };
    }),
  ),
  moves(
    'headers out of Secrets',
    backend((backend, random) => {
      const secret = random.pick([undefined, 'reader', 'admin']);
      if (secret === undefined) delete backend.secretHeaders;
      else backend.secretHeaders = { [random.pick(['X-Api-Key', 'X-Account'])]: secret };
    }),
  ),
  moves('passed headers', (design, random) => {
    const headers = random.some(['X-Tenant', 'X-Locale', 'X-Request-Id']);
    if (headers.length === 0) delete design.passthroughHeaders;
    else design.passthroughHeaders = [...headers];
  }),
  moves('credential', (design, random) => {
    const backend = random.pick(Object.values(design.backends));
    if (backend.credential !== undefined && random.chance(0.4)) delete backend.credential;
    else backend.credential = anyCredential(design.incoming.type, random);
  }),
  moves(
    'secret of a credential',
    credential((credential, random) => {
      if (credential.type === 'headerInjection') credential.secret = random.pick(['reader', 'admin']);
      else credential.clientSecret = random.pick(['client', 'client2']);
    }),
  ),
  moves(
    'header of a credential',
    credential(credential => {
      if (credential.type === 'headerInjection')
        credential.header = credential.header === 'X-Key' ? 'Authorization' : 'X-Key';
    }),
  ),
  moves(
    'exchange of tokens',
    credential((credential, random) => {
      if (credential.type !== 'tokenExchange') return;
      const change = random.below(3);
      if (change === 0) credential.audience = credential.audience === 'alpha' ? 'beta' : 'alpha';
      else if (change === 1) credential.scopes = [...random.some(['read', 'write', 'admin']), 'list'];
      else credential.tokenUrl = `https://${random.pick(['sts', 'sts2'])}.example.org/token`;
    }),
  ),
];

function provider(apply: (incoming: Incoming, random: Random) => void): Apply {
  return ({ incoming }, random) => {
    if (incoming.type === 'oidc') apply(incoming, random);
  };
}

function authorization(apply: (authorization: Authorization, random: Random) => void): Apply {
  return ({ authorization }, random) => {
    if (authorization !== undefined) apply(authorization, random);
  };
}

/** Adds a policy, removes one with that effect, or replaces one. */
function policies(effect: Effect, make: (effect: Effect, design: Design, random: Random) => string): Apply {
  return (design, random) => {
    const list = design.authorization?.policies;
    if (list === undefined) return;
    // Of the same kind, by its text.
    const sort =
      make === uriPolicy
        ? 'read_resource'
        : make === promptPolicy
          ? 'get_prompt'
          : make === argumentPolicy
            ? 'arg_'
            : '';
    const same = [...list.keys()].filter(at => list[at]?.startsWith(effect) && list[at]?.includes(sort));
    const how = random.pick(['add', 'add', 'remove', 'replace'] as const);
    if (how === 'add' || same.length === 0) list.push(make(effect, design, random));
    else if (how === 'replace') list[random.pick(same)] = make(effect, design, random);
    else list.splice(random.pick(same), 1);
  };
}

/** The tool settings of some backend, which may be new. */
function toolsSettings({ aggregation, backends }: Design, random: Random): readonly [backend: string, ToolsDesign] {
  const backend = random.pick(Object.keys(backends));
  aggregation.tools ??= {};
  aggregation.tools[backend] ??= {};
  return [backend, aggregation.tools[backend]];
}

function anyOverride(
  design: Design,
  random: Random,
): readonly [NonNullable<ToolsDesign['overrides']>[string], tool: string] {
  const [backend, tools] = toolsSettings(design, random);
  tools.overrides ??= {};
  const tool = random.pick([...Object.keys(tools.overrides), ...listNamedTools(backend)]);
  tools.overrides[tool] ??= {};
  return [tools.overrides[tool], tool];
}

function workflow(apply: (workflow: WorkflowDesign, design: Design, random: Random) => void): Apply {
  return (design, random) => {
    const all = Object.values(design.workflows ?? {});
    if (all.length > 0) apply(random.pick(all), design, random);
  };
}

function backend(apply: (backend: BackendDesign, random: Random) => void): Apply {
  return ({ backends }, random) => apply(random.pick(Object.values(backends)), random);
}

function credential(apply: (credential: CredentialDesign, random: Random) => void): Apply {
  return ({ backends }, random) => {
    const all = Object.values(backends).flatMap(({ credential }) => credential ?? []);
    if (all.length > 0) apply(random.pick(all), random);
  };
}
