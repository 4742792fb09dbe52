/**
 * The outer shape of bundles and indexes. The compiler wrote them and the digest vouches for them, so this is no validation
 * of meaning: it turns a truncated or hand-edited file into a sentence instead of a crash in the middle of serving.
 */
import type { GatewayBundle } from '#schemas';

/** What is wrong with a value, as the end of a sentence, or undefined. */
type Check = (value: unknown) => string | undefined;

/** A check, the shape of an object, or a one-item list with the shape of a list's items. */
type Shape = Check | readonly [Shape] | { readonly [member: string]: Shape };

/** Timers beyond it fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Checks of members that may be left out. */
const OPTIONAL = new WeakSet<Check>();

const string = typed('string');
const object = typed('object');
const array = typed('array');
const count: Check = value => wholeNumber(value, 0, Number.MAX_SAFE_INTEGER);
const milliseconds: Check = value => wholeNumber(value, 1, LONGEST_TIMER_MS);
const httpUrl: Check = value =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
    ? undefined
    : 'is not an http or https URL';

const ENTITY_UID: Shape = { type: string, id: string };

const GATEWAY: Shape = {
  namespace: string,
  name: string,
  origin: { compilerVersion: string },
  requires: [string],
  secrets: [{ id: string, env: string }],
  server: { name: string, metadata: object },
  incomingAuth: { type: string },
  authorization: { engine: oneOf('none', 'cedar'), policyCount: count },
  backends: [
    {
      name: string,
      url: httpUrl,
      transport: oneOf('streamable-http', 'sse'),
      addresses: oneOf('any', 'private', 'public'),
      timeoutMs: milliseconds,
      auth: { type: oneOf('unauthenticated') },
      tools: { prefix: string, advertise: { type: oneOf('all', 'none', 'only') }, overrides: object },
    },
  ],
  aggregation: { strategy: oneOf('prefix', 'priority', 'manual'), priorityOrder: [string] },
  operational: {
    logLevel: oneOf('info', 'debug'),
    partialFailure: oneOf('fail', 'best_effort'),
    health: { intervalMs: milliseconds, timeoutMs: milliseconds, unhealthyThreshold: count },
  },
};

/** `authorization` where there are policies. */
const CEDAR: Shape = {
  policies: [{ id: string, name: string, text: string, listText: optional(string) }],
  entities: [{ uid: ENTITY_UID, attrs: object, parents: [ENTITY_UID] }],
  server: string,
  groupType: string,
  groupClaims: [string],
  roleClaim: nullable(string),
  multiValuedClaims: [string],
};

const INDEX: Shape = { bundles: [{ namespace: string, name: string, digest: string, path: string }] };

/** What is wrong with the shape of a bundle of kind gateway, or undefined. */
export function shapeProblem(bundle: unknown): string | undefined {
  const problem = problemOf(bundle, GATEWAY, '');
  if (problem !== undefined) return problem;
  const { authorization, backends } = bundle as GatewayBundle;
  return problemOfAuthorization(authorization) ?? problemOfBackends(backends);
}

/** What is wrong with the shape of an index, or undefined. */
export function indexProblem(index: unknown): string | undefined {
  return problemOf(index, INDEX, '');
}

function problemOfAuthorization(plan: GatewayBundle['authorization']): string | undefined {
  if (plan.engine === 'cedar') return problemOf(plan, CEDAR, 'authorization');
  return plan.policyCount === 0 ? undefined : '"authorization" has policies and no engine';
}

/** What no shape can say. */
function problemOfBackends(backends: GatewayBundle['backends']): string | undefined {
  const names = new Set<string>();
  for (const [index, { name, tools }] of backends.entries()) {
    if (names.has(name)) return `"backends" has two of the name "${name}"`;
    names.add(name);
    if (tools.advertise.type !== 'only') continue;
    const problem = problemOf(tools.advertise.names, [string], `backends[${index}].tools.advertise.names`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf(value: unknown, shape: Shape, at: string): string | undefined {
  if (typeof shape === 'function') {
    const problem = value === undefined && !OPTIONAL.has(shape) ? 'is missing' : shape(value);
    return problem === undefined ? undefined : `"${at}" ${problem}`;
  }
  const isList = Array.isArray(shape);
  const problem = problemOf(value, isList ? array : object, at);
  if (problem !== undefined) return problem;
  const members: [at: string, value: unknown, shape: Shape][] = isList
    ? (value as unknown[]).map((item, index) => [`${at}[${index}]`, item, shape[0]])
    : Object.entries(shape).map(([member, inner]) => {
        const path = at === '' ? member : `${at}.${member}`;
        return [path, (value as Record<string, unknown>)[member], inner];
      });
  for (const [path, member, inner] of members) {
    const found = problemOf(member, inner, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

function optional(check: Check): Check {
  const checked: Check = value => (value === undefined ? undefined : check(value));
  OPTIONAL.add(checked);
  return checked;
}

function nullable(check: Check): Check {
  return value => (value === null ? undefined : check(value));
}

function typed(type: 'string' | 'object' | 'array'): Check {
  return value => (typeOf(value) === type ? undefined : `is not of type ${type}`);
}

function oneOf(...choices: readonly string[]): Check {
  return value => (choices.includes(value as string) ? undefined : `is none of ${choices.join(', ')}`);
}

function wholeNumber(value: unknown, least: number, most: number): string | undefined {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return undefined;
  return `is not a whole number from ${least} to ${most}`;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
