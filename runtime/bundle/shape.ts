/**
 * The outer shape of a bundle. The compiler wrote it and the digest vouches for it, so this is no validation of meaning: it
 * turns a truncated or hand-edited file into a sentence instead of a crash in the middle of serving.
 */

/** A type name, the shape of an object, or a one-item list with the shape of a list's items. */
type Shape = 'string' | 'number' | 'object' | 'array' | readonly [Shape] | { readonly [member: string]: Shape };

const GATEWAY: Shape = {
  namespace: 'string',
  name: 'string',
  origin: { compilerVersion: 'string' },
  requires: ['string'],
  secrets: [{ id: 'string', env: 'string' }],
  server: { name: 'string', metadata: 'object' },
  incomingAuth: { type: 'string' },
  authorization: { engine: 'string', policyCount: 'number' },
  backends: [
    {
      name: 'string',
      url: 'string',
      transport: 'string',
      addresses: 'string',
      timeoutMs: 'number',
      auth: { type: 'string' },
      tools: { prefix: 'string', advertise: { type: 'string' }, overrides: 'object' },
    },
  ],
  aggregation: { strategy: 'string', priorityOrder: ['string'] },
  operational: {
    logLevel: 'string',
    partialFailure: 'string',
    health: { intervalMs: 'number', timeoutMs: 'number', unhealthyThreshold: 'number' },
  },
};

/** What is wrong with the shape of a bundle of kind gateway, or undefined. */
export function shapeProblem(bundle: unknown): string | undefined {
  return problemOf(bundle, GATEWAY, '');
}

function problemOf(value: unknown, shape: Shape, at: string): string | undefined {
  if (typeof shape === 'string') {
    return typeOf(value) === shape
      ? undefined
      : `"${at}" is ${value === undefined ? 'missing' : `not of type ${shape}`}`;
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return problemOf(value, 'array', at);
    return firstProblem(value.map((item, index) => () => problemOf(item, shape[0], `${at}[${index}]`)));
  }
  if (typeOf(value) !== 'object') return problemOf(value, 'object', at);
  return firstProblem(
    Object.entries(shape).map(([member, inner]) => () => {
      const path = at === '' ? member : `${at}.${member}`;
      return problemOf((value as Record<string, unknown>)[member], inner, path);
    }),
  );
}

function firstProblem(checks: readonly (() => string | undefined)[]): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isList(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
