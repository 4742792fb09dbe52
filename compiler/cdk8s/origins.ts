/**
 * Where the values of an object were given in the user's program. Constructs record it when they are called; the compiler that runs the
 * program reads it when there is a finding. Nothing of it reaches a manifest.
 */
import type { ApiObject } from 'cdk8s';

/** Steps into the arguments of a call: the index of the argument, then field names and list indices. */
export type ArgumentPath = readonly (string | number)[];

/** A value in the arguments of one call. */
export interface CallSite {
  /** As V8 writes it, the innermost frame first; the first one outside of packages is the user's. */
  readonly stack: string;
  readonly argument: ArgumentPath;
  /** The name under which it was given is what is meant: the value was made elsewhere, and perhaps for others too. */
  readonly at?: 'key';
}

/** Where the value at a place of the object, and all below it, was given. The longest pointer that fits counts. */
export interface Origin {
  /** RFC 6901, from the root of the object; empty for the object as a whole. */
  readonly pointer: string;
  readonly given: CallSite;
}

/** One call of a public constructor or method. */
export class Call {
  readonly #stack: string;

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** A value in its arguments, such as `at(2, 'conflicts')`. */
  at(...argument: ArgumentPath): CallSite {
    return { stack: this.#stack, argument };
  }

  /** The name under which a value in its arguments was given, such as `named(2, 'group')`. */
  named(...argument: ArgumentPath): CallSite {
    return { ...this.at(...argument), at: 'key' };
  }
}

/** Frames that are kept: constructs of users are nested, and each level takes a few. */
const MAX_FRAMES = 50;

/**
 * The call of the public function that asks.
 *
 * @param callee is left out, with everything that it called; the constructor or method itself
 */
export function captureCall(
  callee: ((...parameters: never[]) => unknown) | (abstract new (...parameters: never[]) => unknown),
): Call {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MAX_FRAMES;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, callee);
  const { stack = '' } = holder;
  Error.stackTraceLimit = stackTraceLimit;
  return new Call(stack);
}

/** Shared between copies of this module: a program may load it as CommonJS and as ES module. */
const ORIGINS = Symbol.for('lintel.dev/origins');

interface WithOrigins {
  [ORIGINS]?: Origin[];
}

/** Notes where a part of an object was given. A later note about the same place counts more. */
export function noteOrigin(object: ApiObject, pointer: string, given: CallSite): void {
  const holder = object as ApiObject & WithOrigins;
  holder[ORIGINS] ??= [];
  holder[ORIGINS].push({ pointer, given });
}

/** What was noted, in the order of the notes. */
export function readOrigins(object: ApiObject): readonly Origin[] {
  return (object as ApiObject & WithOrigins)[ORIGINS] ?? [];
}
