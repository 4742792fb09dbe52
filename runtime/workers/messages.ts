/** What the primary and a worker ask each other. */

import type { BundleState } from '../bundle/active-bundle.ts';
import type { LoadedBundle } from '../bundle/load.ts';
import type { HistogramSample, Metric } from '../observe/metrics/metric.ts';
import type { StatusPage } from '../observe/status.ts';
import type { ReplicaMessage, SharedSessions } from '../shared-sessions/store.ts';

/** What a worker is started with. */
export interface WorkerStart {
  /** From 1 on; the one that takes the place of another has its number. */
  readonly worker: number;
  /** The same for its sessions; no other that is alive has it. */
  readonly replica: number;
  readonly loaded: LoadedBundle;
}

/** What can be asked of the sessions that the primary keeps. */
export type SessionMethod = {
  [M in keyof SharedSessions]: SharedSessions[M] extends (...args: never) => Promise<unknown> ? M : never;
}[keyof SharedSessions];

export interface SessionCall {
  readonly method: SessionMethod;
  readonly args: readonly unknown[];
}

/** Keys of the limits of a call, and the key of its caller. */
export interface TokenCall {
  readonly limits: readonly string[];
  readonly user: string | undefined;
}

/** A call about the embeddings of a plan, by its JSON text: while a bundle is swapped, calls are about two plans. */
export interface EmbeddingCall {
  readonly plan: string;
  readonly texts: readonly string[];
}

export interface EmbeddingResponse {
  /** Vectors can be compared with those of the same origin alone. */
  readonly origin: string;
  /** 32-bit floats of this machine, in base64. */
  readonly vectors: readonly string[];
}

/** What the primary says of the service of a plan. */
export interface EmbeddingOrigin {
  readonly origin: string;
  /** Texts of one request at most. */
  readonly maxBatch: number;
}

export type PrimaryHandlers = {
  session(call: SessionCall): unknown;
  /** Answered at once: all earlier messages to this worker have arrived then. */
  tick(argument: null): null;
  take(call: TokenCall): number;
  /** Answered when the next record may be sent, if the other process cannot write records fast enough. */
  record(record: string): null | Promise<null>;
  /** Answered when the service of the plan works. */
  embeddingOrigin(plan: string): Promise<EmbeddingOrigin>;
  /** Answered when each text has its vector. */
  embed(call: EmbeddingCall): Promise<EmbeddingResponse>;
  embedQuery(call: { readonly plan: string; readonly text: string }): Promise<EmbeddingResponse>;
  /** The metrics of all workers. */
  metrics(argument: null): Promise<readonly Metric[]>;
  /** The worker has a connection that it was given. */
  took(connection: number): null;
  /** The worker wants no more connections: it is about to end. */
  retire(argument: null): null;
};

/** What the primary knows of the bundle and its swaps. */
export interface BundleUpdate {
  readonly state: BundleState;
  readonly swaps: { readonly refused: number; readonly latestAt: number; readonly seconds: HistogramSample };
}

/** What goes with a connection. */
export interface ConnectionNote {
  readonly connection: number;
}

export interface WorkerReport {
  readonly status: StatusPage;
  readonly metrics: readonly Metric[];
  /** Sessions that other workers cannot serve. */
  readonly ownSessions: number;
}

export type WorkerHandlers = {
  /** Opens the gateway, which serves no requests yet. */
  open(start: WorkerStart): Promise<null>;
  /** Resolves when every backend was tried once, or has used up the time that a start has for that. */
  settled(argument: null): Promise<null>;
  /** From now on it is given connections. */
  serve(argument: null): null;
  prepare(next: LoadedBundle): Promise<null>;
  discard(argument: null): null;
  /** From the answer on no request begins, until `use` or `release`. */
  hold(argument: null): null;
  release(argument: null): null;
  /** Serves what was prepared, held requests first. */
  use(argument: null): null;
  report(update: BundleUpdate): WorkerReport;
  message(message: ReplicaMessage): null;
  ping(argument: null): null;
  stop(argument: null): Promise<null>;
};
