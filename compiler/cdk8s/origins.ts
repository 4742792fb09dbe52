/**
 * The positions of an object's values in the program. Constructs record them when they are called; the compiler that runs the program reads
 * them for findings. They never reach a manifest.
 */
import type { ApiObject } from 'cdk8s';

/** Steps into the arguments of a call: the index of the argument, then field names and list indices. */
export type ArgumentPath = readonly (string | number)[];

/** A value in the arguments of one call. */
export interface CallSite {
  /** V8's stack trace, innermost frame first; the first frame outside of packages is the program's. */
  readonly stack: string;
  readonly argument: ArgumentPath;
  /** Set if the position of the argument is meant, and not that of its value: the value may be created elsewhere and used by several calls. */
  readonly at?: 'key';
}

/** The position of the value at a pointer, and of everything below it. The longest matching pointer counts. */
export interface ValueOrigin {
  /** JSON Pointer (RFC 6901) from the root of the object; empty for the object as a whole. */
  readonly pointer: string;
  readonly callSite: CallSite;
}

/** One call of a public constructor or method. */
export class Call {
  readonly #stack: string;

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** A value in the arguments of this call, such as `at(2, 'conflicts')`. */
  at(...argument: ArgumentPath): CallSite {
    return { stack: this.#stack, argument };
  }

  /** The name of an argument and not its value, such as `named(2, 'group')`. */
  named(...argument: ArgumentPath): CallSite {
    return { ...this.at(...argument), at: 'key' };
  }
}

/** Maximum number of kept frames: users' constructs are nested, and each level takes a few. */
const MAX_FRAMES = 50;

/**
 * The call of the public function that runs.
 * @param callee the constructor or method itself, whose frame and inner frames are left out
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
  [ORIGINS]?: ValueOrigin[];
}

/** Records the position of a part of an object. A later record for the same part takes precedence. */
export function noteOrigin(object: ApiObject, pointer: string, callSite: CallSite): void {
  const holder = object as ApiObject & WithOrigins;
  holder[ORIGINS] ??= [];
  holder[ORIGINS].push({ pointer, callSite });
}

/** All records, in order. */
export function readOrigins(object: ApiObject): readonly ValueOrigin[] {
  return (object as ApiObject & WithOrigins)[ORIGINS] ?? [];
}
