/** Validates JSON by shapes: `findProblem` describes the first error in a sentence. */

/** Why a value is invalid, as the end of a sentence, or undefined. */
export type ValueCheck = (value: unknown) => string | undefined;

/** A check, an optional shape, the shape of an object, or a one-item list with the shape of its items. */
export type Shape =
  | ValueCheck
  | Maybe
  | RecordShape
  | Variants
  | readonly [Shape]
  | { readonly [member: string]: Shape };

/** An optional shape. */
class Maybe {
  /** The value for "missing"; undefined when the member is omitted. */
  readonly nothing: null | undefined;
  readonly shape: Shape;

  constructor(nothing: null | undefined, shape: Shape) {
    this.nothing = nothing;
    this.shape = shape;
  }
}

/** An object with any members, all of one shape. */
class RecordShape {
  readonly shape: Shape;

  constructor(shape: Shape) {
    this.shape = shape;
  }
}

/** An object of one of several shapes, selected by a member. */
class Variants {
  readonly member: string;
  readonly shapes: { readonly [variant: string]: Shape };

  constructor(member: string, shapes: { readonly [variant: string]: Shape }) {
    this.member = member;
    this.shapes = shapes;
  }
}

/** Longer timers fire immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const string = typed('string');
export const boolean = typed('boolean');
export const object = typed('object');
export const array = typed('array');
export const count: ValueCheck = value => formatInteger(value, 0, Number.MAX_SAFE_INTEGER);
export const milliseconds: ValueCheck = value => formatInteger(value, 1, LONGEST_TIMER_MS);
/** From one second to a century. */
export const seconds: ValueCheck = value => formatInteger(value, 1, 100 * 366 * 86_400);
export const httpUrl: ValueCheck = value =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
    ? undefined
    : 'is not an http or https URL';

export function findProblem(value: unknown, shape: Shape, at: string): string | undefined {
  if (shape instanceof Maybe) return value === shape.nothing ? undefined : findProblem(value, shape.shape, at);
  if (shape instanceof RecordShape) return findMapProblem(value, shape, at);
  if (shape instanceof Variants) return findVariantProblem(value, shape, at);
  if (typeof shape === 'function') {
    const problem = value === undefined ? 'is missing' : shape(value);
    return problem === undefined ? undefined : `"${at}" ${problem}`;
  }
  const isList = Array.isArray(shape);
  const problem = findProblem(value, isList ? array : object, at);
  if (problem !== undefined) return problem;
  const members: [at: string, value: unknown, shape: Shape][] = isList
    ? (value as unknown[]).map((item, index) => [`${at}[${index}]`, item, shape[0]])
    : Object.entries(shape).map(([member, inner]) => {
        return [formatMember(at, member), (value as Record<string, unknown>)[member], inner];
      });
  for (const [path, member, inner] of members) {
    const found = findProblem(member, inner, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An object with arbitrary member names, such as the claims of a source. */
export function record(shape: Shape): RecordShape {
  return new RecordShape(shape);
}

/** An object of the shape that a member such as `type` selects; the shapes omit that member. */
export function variants(member: string, shapes: { readonly [variant: string]: Shape }): Variants {
  return new Variants(member, shapes);
}

export function optional(shape: Shape): Maybe {
  return new Maybe(undefined, shape);
}

export function nullable(shape: Shape): Maybe {
  return new Maybe(null, shape);
}

function findMapProblem(value: unknown, { shape }: RecordShape, at: string): string | undefined {
  const problem = findProblem(value, object, at);
  if (problem !== undefined) return problem;
  for (const [member, inner] of Object.entries(value as object)) {
    const found = findProblem(inner, shape, formatMember(at, member));
    if (found !== undefined) return found;
  }
  return undefined;
}

function findVariantProblem(value: unknown, { member, shapes }: Variants, at: string): string | undefined {
  const problem = findProblem(value, { [member]: oneOf(...Object.keys(shapes)) }, at);
  return problem ?? findProblem(value, shapes[(value as Record<string, string>)[member] ?? ''] ?? {}, at);
}

function formatMember(at: string, member: string): string {
  return at === '' ? member : `${at}.${member}`;
}

function typed(type: 'string' | 'boolean' | 'object' | 'array'): ValueCheck {
  return value => (describeType(value) === type ? undefined : `is not of type ${type}`);
}

export function oneOf(...choices: readonly string[]): ValueCheck {
  return value => (choices.includes(value as string) ? undefined : `is none of ${choices.join(', ')}`);
}

function formatInteger(value: unknown, least: number, most: number): string | undefined {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return undefined;
  return `is not a whole number from ${least} to ${most}`;
}

function describeType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}
