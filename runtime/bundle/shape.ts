/**
 * The outer shape of bundles and indexes. The compiler wrote them and the digest vouches for them, so this is no validation
 * of meaning: it turns a truncated or hand-edited file into a sentence instead of a crash in the middle of serving.
 */
import type { GatewayBundle } from '#schemas';

/** What is wrong with a value, as the end of a sentence, or undefined. */
type Check = (value: unknown) => string | undefined;

/** A check, something that may be missing, the shape of an object, or a one-item list with the shape of a list's items. */
type Shape = Check | Maybe | readonly [Shape] | { readonly [member: string]: Shape };

/** A shape, or nothing at all. */
class Maybe {
  /** What stands for nothing; undefined where the member is left out. */
  readonly nothing: null | undefined;
  readonly shape: Shape;

  constructor(nothing: null | undefined, shape: Shape) {
    this.nothing = nothing;
    this.shape = shape;
  }
}

/** Timers beyond it fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const string = typed('string');
const boolean = typed('boolean');
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
  secrets: [{ use: string, env: nullable(string), file: nullable(string) }],
  server: { name: string, metadata: object },
  incomingAuth: { type: oneOf('anonymous', 'local', 'oidc') },
  authorization: { engine: oneOf('none', 'cedar'), policyCount: count },
  passthroughHeaders: [string],
  backends: [
    {
      name: string,
      url: httpUrl,
      transport: oneOf('streamable-http', 'sse'),
      addresses: oneOf('any', 'private', 'public'),
      timeoutMs: milliseconds,
      auth: { type: oneOf('unauthenticated') },
      headers: array,
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

const SECRET: Shape = { env: nullable(string), file: nullable(string) };

/** `incomingAuth` where a token is demanded. */
const TOKEN_AUTH: Shape = {
  realm: string,
  providers: [
    {
      name: string,
      issuer: string,
      audience: string,
      keys: { type: oneOf('discovery', 'jwks'), url: httpUrl },
      keysToken: nullable(SECRET),
      introspection: nullable({ url: httpUrl, credentials: { type: oneOf('none', 'basic', 'bearer') } }),
      trust: { type: oneOf('default', 'pem', 'file') },
      addresses: oneOf('any', 'private', 'public'),
      allowsHttp: boolean,
    },
  ],
  requiredScopes: [string],
  resourceMetadata: nullable({ url: string, paths: [string], document: object }),
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
  const { incomingAuth, authorization, backends } = bundle as GatewayBundle;
  return problemOfIncomingAuth(incomingAuth) ?? problemOfAuthorization(authorization) ?? problemOfBackends(backends);
}

/** What is wrong with the shape of an index, or undefined. */
export function indexProblem(index: unknown): string | undefined {
  return problemOf(index, INDEX, '');
}

function problemOfIncomingAuth(plan: GatewayBundle['incomingAuth']): string | undefined {
  if (plan.type !== 'oidc') return undefined;
  const problem = problemOf(plan, TOKEN_AUTH, 'incomingAuth');
  return problem ?? (plan.providers.length > 0 ? undefined : '"incomingAuth.providers" is empty');
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
  if (shape instanceof Maybe) return value === shape.nothing ? undefined : problemOf(value, shape.shape, at);
  if (typeof shape === 'function') {
    const problem = value === undefined ? 'is missing' : shape(value);
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

function optional(shape: Shape): Maybe {
  return new Maybe(undefined, shape);
}

function nullable(shape: Shape): Maybe {
  return new Maybe(null, shape);
}

function typed(type: 'string' | 'boolean' | 'object' | 'array'): Check {
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
