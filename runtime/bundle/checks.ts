/** Checks of what JSON holds, by shapes: `problemOf` says in a sentence what is wrong first. */

/** What is wrong with a value, as the end of a sentence, or undefined. */
export type Check = (value: unknown) => string | undefined;

/** A check, something that may be missing, the shape of an object, or a one-item list with the shape of a list's items. */
export type Shape = Check | Maybe | readonly [Shape] | { readonly [member: string]: Shape };

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

export const string = typed('string');
export const boolean = typed('boolean');
export const object = typed('object');
export const array = typed('array');
export const count: Check = value => wholeNumber(value, 0, Number.MAX_SAFE_INTEGER);
export const milliseconds: Check = value => wholeNumber(value, 1, LONGEST_TIMER_MS);
export const httpUrl: Check = value =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
    ? undefined
    : 'is not an http or https URL';

export function problemOf(value: unknown, shape: Shape, at: string): string | undefined {
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

export function optional(shape: Shape): Maybe {
  return new Maybe(undefined, shape);
}

export function nullable(shape: Shape): Maybe {
  return new Maybe(null, shape);
}

function typed(type: 'string' | 'boolean' | 'object' | 'array'): Check {
  return value => (typeOf(value) === type ? undefined : `is not of type ${type}`);
}

export function oneOf(...choices: readonly string[]): Check {
  return value => (choices.includes(value as string) ? undefined : `is none of ${choices.join(', ')}`);
}

function wholeNumber(value: unknown, least: number, most: number): string | undefined {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return undefined;
  return `is not a whole number from ${least} to ${most}`;
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
