/** The JSON protocol between Lintel and the process that runs a program. */
import type { Frame, SynthesizedChart, SynthesizedObject } from '../synthesized.ts';

/** The request to run a program, sent once on standard input. */
export interface RunRequest {
  readonly bundle: string;
  /** A `file:` URL next to the entry that names no real file; it identifies the bundle's stack frames. */
  readonly url: string;
  /** The absolute folder that paths in the bundle are relative to. */
  readonly folder: string;
  readonly allowNetwork: boolean;
  /** The frozen time; milliseconds since 1970. */
  readonly now: number;
  /** How often the process reports what keeps it alive; milliseconds. */
  readonly reportEveryMs: number;
  /** The prefix of each line of the answer, different for each process. */
  readonly mark: string;
}

/** A pending operation that keeps an idle process alive, and where it was started. */
export interface PendingHandle {
  /** The operation in words, such as `a timer`. */
  readonly what: string;
  readonly frames: readonly Frame[];
}

/** An action of a program that becomes a finding, with its position. */
export interface Note {
  readonly type: 'network' | 'process' | 'print' | 'clock' | 'random' | 'environment';
  /** The function or the variable, such as `fetch`, `Date.now` or a variable's name; never a value. */
  readonly what: string;
  readonly frames: readonly Frame[];
  /** Whether the program itself made the call, and not Node on its behalf. */
  readonly isDirect: boolean;
}

/** A part of an object that is invalid, with the positions that its construct recorded. */
export interface PartProvenance extends Pick<SynthesizedObject, 'constructPath' | 'origins' | 'patches'> {
  /** JSON Pointer (RFC 6901) from the root of the object to the part. */
  readonly pointer: string;
  readonly at: 'key' | 'value';
}

/** An error or other value that a program threw. */
export interface ThrownError {
  /** The error's message; for a thrown value that is not an error, its type. */
  readonly message: string;
  /** The class of the error, such as `TypeError`. */
  readonly name: string;
  /** The stack frames of the error, then the frames that created the current construct: one of these frames is in the program itself. */
  readonly frames: readonly Frame[];
  /** The path of the construct that cdk8s was processing, if known. */
  readonly constructPath?: string;
  /** The part of an object that the construct reports as invalid. */
  readonly part?: PartProvenance;
  /** The operation that Node's permission model refused. */
  readonly refused?: { readonly permission: string; readonly resource: string };
}

/** A call that adds a dependency between constructs. */
export interface Dependency {
  readonly from: string;
  readonly on: string;
  readonly frames: readonly Frame[];
}

/** A construct that fails validation. */
export interface InvalidConstruct {
  readonly constructPath: string;
  readonly message: string;
  /** The part of an object that the construct reports as invalid. */
  readonly part?: PartProvenance;
  /** The stack frames of the call that created the dependency. */
  readonly frames: readonly Frame[];
}

export type ChildOutcome =
  | { readonly type: 'synthesized'; readonly charts: readonly SynthesizedChart[] }
  | { readonly type: 'threw'; readonly thrown: ThrownError; readonly during: 'loading' | 'calling' | 'rendering' }
  | { readonly type: 'rejected'; readonly thrown: ThrownError }
  | { readonly type: 'exited'; readonly exitCode: number; readonly frames: readonly Frame[] }
  /** The program ended and reported failure (`process.exitCode`). */
  | { readonly type: 'failed'; readonly exitCode: number }
  /** `exports`: the names of exports, none usable; `uncalled`: exported functions with parameters. */
  | { readonly type: 'nothing'; readonly exports: readonly string[]; readonly uncalled: readonly string[] }
  /** The program still waits for a promise that nothing can settle. */
  | { readonly type: 'pending' }
  | { readonly type: 'invalid'; readonly constructs: readonly InvalidConstruct[] }
  | { readonly type: 'cycle'; readonly constructPaths: readonly string[]; readonly dependencies: readonly Dependency[] }
  | {
      readonly type: 'no-data';
      readonly part: PartProvenance;
      readonly what: string;
      readonly frames: readonly Frame[];
    };

export interface RunResult {
  readonly outcome: ChildOutcome;
  readonly notes: readonly Note[];
}

/** One message per line of the pipe, after the prefix. The result is the last message. */
export type Message = RunResult | { readonly stillOpen: PendingHandle | null };
