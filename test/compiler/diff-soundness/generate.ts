/** Random designs, and pairs of designs that differ by a few changes. */
import { CHANGES } from './changes.ts';
import { type CompiledDesign, compiledDesign } from './compiled.ts';
import type {
  AggregationDesign,
  AuthorizationDesign,
  BackendDesign,
  CredentialDesign,
  Design,
  EntityDesign,
  Incoming,
  StepDesign,
  ToolsDesign,
  WorkflowDesign,
} from './design.ts';
import { anyPolicy, groundPolicy, listNamedTools } from './policies.ts';
import { createRandom, type Random } from './random.ts';
import { AUDIENCE } from './world/callers.ts';
import { BACKENDS } from './world/offers.ts';

export interface DesignPair {
  readonly before: Design;
  readonly after: Design;
  /** Kinds of the changes, in order. */
  readonly kinds: readonly string[];
  readonly compiled: { readonly before: CompiledDesign; readonly after: CompiledDesign };
}

/**
 * The pair of a seed: both sides can be served, and they differ. Every other pair has a single change; these use the kinds of changes in turn,
 * so that all kinds are equally frequent.
 */
export function generatePair(seed: number): DesignPair {
  const random = createRandom(seed);
  const kind = seed % 2 === 0 ? CHANGES[(seed / 2) % CHANGES.length] : undefined;
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const before = anyDesign(random);
    const old = compiledDesign(before);
    if (old === undefined) continue;
    // Several attempts with one design: most are valid, and many changes are not possible in every design.
    for (let again = 0; again < 8; again++) {
      const after = structuredClone(before);
      const kinds = kind === undefined ? changed(after, random) : [kind.kind];
      kind?.apply(after, random);
      const now = JSON.stringify(after) === JSON.stringify(before) ? undefined : compiledDesign(after);
      if (now === undefined) continue;
      const compiled = { before: old, after: now };
      // A change that narrows in one direction widens in the other.
      return random.chance(0.5)
        ? { before, after, kinds, compiled }
        : { before: after, after: before, kinds, compiled: { before: now, after: old } };
    }
  }
  throw new Error(`seed ${seed} gives no pair that can be served`);
}

/** Changes a design: one change as often as two or three. Returns the kinds of the changes. */
function changed(design: Design, random: Random): readonly string[] {
  const count = random.pick([1, 1, 2, 3]);
  const kinds: string[] = [];
  for (let tries = 0; kinds.length < count && tries < 20; tries++) {
    const change = random.pick(CHANGES);
    const text = JSON.stringify(design);
    change.apply(design, random);
    if (JSON.stringify(design) !== text) kinds.push(change.kind);
  }
  return kinds;
}

/** Names that no backend gives to a tool. */
export const WORKFLOWS: readonly string[] = ['flow', 'tidy'];

export function anyWorkflow(backends: readonly string[], random: Random): WorkflowDesign {
  const count = random.pick([1, 1, 2]);
  return { steps: Array.from({ length: count }, () => anyStep(backends, random)) };
}

export function anyStep(backends: readonly string[], random: Random): StepDesign {
  const backend = random.pick(backends);
  const step: StepDesign = { tool: `${backend}.${random.pick(listNamedTools(backend))}` };
  if (random.chance(0.3)) step.path = random.pick(['/public/a', '/private/a']);
  if (random.chance(0.2)) step.asks = true;
  return step;
}

const GROUPS = ['admins', 'dev', 'interns'];

function anyDesign(random: Random): Design {
  const names = random.pick([
    ['alpha'],
    ['alpha'],
    ['beta'],
    ['alpha', 'beta'],
    ['alpha', 'gamma'],
    ['beta', 'gamma'],
    BACKENDS,
  ]);
  const incoming = anyIncoming(random);
  const design: Design = {
    incoming,
    aggregation: anyAggregation(names, random),
    backends: Object.fromEntries(names.map(name => [name, anyBackend(name, incoming, random)])),
    lock: anyLock(names, random),
  };
  if (random.chance(0.35)) design.workflows = { [random.pick(WORKFLOWS)]: anyWorkflow(names, random) };
  if (random.chance(0.3)) design.passthroughHeaders = [...random.some(['X-Tenant', 'X-Locale'])];
  // Without authentication, callers have no groups.
  if (random.chance(incoming.type === 'anonymous' ? 0.3 : 0.85)) {
    design.authorization = { policies: [] };
    if (random.chance(0.2)) design.authorization.groupClaim = random.pick(['teams', 'realm.roles', 'roles']);
    if (random.chance(0.2)) design.authorization.roleClaim = random.pick(['teams', 'realm.roles', 'roles']);
    if (random.chance(0.1)) design.authorization.groupType = 'Team';
    const permits = random.below(3);
    const forbids = random.below(3);
    design.authorization.policies.push(groundPolicy(design, random));
    for (let at = 0; at < permits; at++) design.authorization.policies.push(anyPolicy('permit', design, random));
    for (let at = 0; at < forbids; at++) design.authorization.policies.push(anyPolicy('forbid', design, random));
    if (random.chance(0.4)) design.authorization.entities = anyEntities(design.authorization, random);
  }
  return design;
}

function anyIncoming(random: Random): Incoming {
  if (random.chance(0.15)) return { type: 'anonymous' };
  const host = random.pick([
    'login',
    'login',
    'login',
    'login',
    'login',
    'login',
    'login',
    'partner',
    'partner',
    'mixed',
  ]);
  const incoming: Incoming = { type: 'oidc', issuer: `https://${host}.example.org`, audience: AUDIENCE };
  if (random.chance(0.25)) incoming.form = 'config';
  if (random.chance(0.25))
    incoming.jwksUrl = `https://${random.pick(['login', 'partner', 'keys', 'keys', 'inner'])}.example.org/jwks`;
  if (random.chance(0.2))
    incoming.introspectionUrl = `https://${random.pick(['login', 'keys'])}.example.org/introspect`;
  if (random.chance(incoming.jwksUrl?.includes('inner') === true ? 0.8 : 0.2)) incoming.allowPrivate = true;
  if (random.chance(host === 'mixed' ? 0.75 : 0.1)) incoming.allowHttp = true;
  if (incoming.form === 'config') {
    if (random.chance(0.4)) incoming.scopes = ['mcp'];
  } else if (random.chance(0.15)) incoming.ca = random.pick(['corp', 'other']);
  return incoming;
}

/** Random entities. They are below a group that policies name, if they name one. */
export function anyEntities({ policies }: AuthorizationDesign, random: Random): EntityDesign[] {
  const named = GROUPS.filter(group => policies.some(text => text.includes(`"${group}"`)));
  const parents = [{ type: 'Group', id: random.pick(named.length === 0 ? GROUPS : named) }];
  const children = [
    { type: 'Group', id: 'leads' },
    { type: 'Group', id: 'dev' },
    { type: 'Client', id: 'bot' },
    { type: 'Client', id: 'rob' },
  ].filter(({ id }) => id !== parents[0]?.id);
  return [{ uid: random.pick(children), attrs: {}, parents }];
}

function anyAggregation(names: readonly string[], random: Random): AggregationDesign {
  const aggregation: AggregationDesign = {};
  const strategy = random.pick(['prefix', 'prefix', 'prefix', 'priority', 'manual'] as const);
  if (strategy !== 'prefix') aggregation.strategy = strategy;
  if (strategy === 'priority') aggregation.priorityOrder = random.chance(0.5) ? [...names] : names.toReversed();
  if (random.chance(0.15)) aggregation.prefixFormat = '{workload}-';
  if (random.chance(0.05)) aggregation.excludeAllTools = true;
  if (random.chance(0.15)) aggregation.visibility = random.pick(['allow', 'deny']);
  for (const name of names) {
    if (!random.chance(strategy === 'manual' ? 0.8 : 0.3)) continue;
    aggregation.tools = { ...aggregation.tools, [name]: anyTools(name, random) };
  }
  return aggregation;
}

export function anyTools(backend: string, random: Random): ToolsDesign {
  const tools: ToolsDesign = {};
  const names = listNamedTools(backend);
  if (random.chance(0.5)) tools.overrides = { [random.pick(names)]: { name: random.pick(['fetch', 'store']) } };
  if (random.chance(0.5)) tools.filter = [...random.some([...names, 'fetch'])];
  if (random.chance(0.1)) tools.excludeAll = true;
  return tools;
}

export function anyBackend(name: string, { type }: Incoming, random: Random): BackendDesign {
  const backend: BackendDesign = {
    url: `https://${name}.example.com/mcp`,
    transport: random.pick(['streamable-http', 'streamable-http', 'sse']),
  };
  if (random.chance(0.15)) backend.allowPrivate = true;
  if (random.chance(0.15)) backend.ca = random.pick(['corp', 'other']);
  if (random.chance(0.25)) backend.headers = { 'X-Role': random.pick(['reader', 'admin']) };
  if (random.chance(0.2)) backend.secretHeaders = { 'X-Api-Key': random.pick(['reader', 'admin']) };
  if (random.chance(0.35)) backend.credential = anyCredential(type, random);
  return backend;
}

/** A random credential. Without callers' tokens, the gateway has no token to exchange. */
export function anyCredential(type: Incoming['type'], random: Random): CredentialDesign {
  if (type === 'anonymous' || random.chance(0.6))
    return {
      type: 'headerInjection',
      header: random.pick(['X-Key', 'Authorization']),
      secret: random.pick(['reader', 'admin']),
    };
  const exchange: CredentialDesign = {
    type: 'tokenExchange',
    tokenUrl: 'https://sts.example.org/token',
    audience: random.pick(['alpha', 'beta']),
  };
  if (random.chance(0.5)) exchange.scopes = random.chance(0.5) ? ['read'] : ['read', 'write'];
  if (random.chance(0.5)) exchange.clientSecret = 'client';
  return exchange;
}

/** A random lock with all, some or none of the backends, in their current or an earlier state. */
function anyLock(names: readonly string[], random: Random): Design['lock'] {
  const kind = random.pick(['none', 'none', 'partial', 'full', 'full'] as const);
  if (kind === 'none') return {};
  const locked = kind === 'full' ? names : names.filter(() => random.chance(0.5));
  return Object.fromEntries(locked.map(name => [name, random.pick(['current', 'stale'] as const)]));
}
