/** What Lintel and the process that runs a program tell each other, as JSON. */
import type { Frame, SynthesizedChart, SynthesizedObject } from '../synthesized.ts';

/** Comes on standard input, and nothing after it. */
export interface RunRequest {
  readonly bundle: string;
  /** A `file:` URL next to the entry, of no file: what frames of the bundle are recognized by. */
  readonly url: string;
  /** What paths of the bundle are relative to; absolute. */
  readonly folder: string;
  readonly allowNetwork: boolean;
  /** Where the clock stands; milliseconds since 1970. */
  readonly now: number;
  /** How often it says what keeps it open; milliseconds. */
  readonly reportEveryMs: number;
  /** What each line of the answer begins with; another one for each process. */
  readonly mark: string;
}

/** What keeps a process that has nothing to do from its end, and where it was begun. */
export interface StillOpen {
  /** Such as `a timer`. */
  readonly what: string;
  readonly frames: readonly Frame[];
}

/** What a program did that is worth telling, with where it did so. */
export interface Note {
  readonly type: 'network' | 'process' | 'print' | 'clock' | 'random' | 'environment';
  /** Such as `fetch`, `Date.now` or the name of a variable; never a value. */
  readonly what: string;
  readonly frames: readonly Frame[];
  /** Whether the innermost frame is what asked, rather than Node on its behalf. */
  readonly isDirect: boolean;
}

/** A part of an object that came to nothing, and what its construct noted about where parts were given. */
export interface PartProvenance extends Pick<SynthesizedObject, 'constructPath' | 'origins' | 'patches'> {
  /** RFC 6901, from the root of the object. */
  readonly pointer: string;
  readonly at: 'key' | 'value';
}

/** Something that was thrown. */
export interface ThrownError {
  /** As it reads; for what is no error, its type. */
  readonly message: string;
  /** Such as `TypeError`. */
  readonly name: string;
  /** Where it was thrown, and then where the construct was made that was at work: one of them is the program's own. */
  readonly frames: readonly Frame[];
  /** The construct that was at work, where it is known. */
  readonly constructPath?: string;
  /** What it is about, where the construct tells. */
  readonly part?: PartProvenance;
  /** What Node's permission model refused. */
  readonly refused?: { readonly permission: string; readonly resource: string };
}

/** A call that makes one construct depend on another. */
export interface Dependency {
  readonly from: string;
  readonly on: string;
  readonly frames: readonly Frame[];
}

/** A construct that is not as it should be. */
export interface InvalidConstruct {
  readonly constructPath: string;
  readonly message: string;
  /** What is to be changed, where the construct tells. */
  readonly part?: PartProvenance;
  /** Where it was made. */
  readonly frames: readonly Frame[];
}

export type Outcome =
  | { readonly type: 'synthesized'; readonly charts: readonly SynthesizedChart[] }
  | { readonly type: 'threw'; readonly thrown: ThrownError; readonly during: 'loading' | 'calling' | 'rendering' }
  | { readonly type: 'rejected'; readonly thrown: ThrownError }
  | { readonly type: 'exited'; readonly exitCode: number; readonly frames: readonly Frame[] }
  /** It came to its end, and says that it failed (`process.exitCode`). */
  | { readonly type: 'failed'; readonly exitCode: number }
  /** `exports` are the names that were there, and of no use; `uncalled` those of functions that ask for something. */
  | { readonly type: 'nothing'; readonly exports: readonly string[]; readonly uncalled: readonly string[] }
  /** Nothing is left to wait for, and yet a promise is. */
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
  readonly outcome: Outcome;
  readonly notes: readonly Note[];
}

/** One on each line of the pipe, after the mark. The result is the last one. */
export type Message = RunResult | { readonly stillOpen: StillOpen | null };
