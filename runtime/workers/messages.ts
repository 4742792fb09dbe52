/** Messages between the primary and a worker. */

import type { BundleState } from '../bundle/active-bundle.ts';
import type { LoadedBundle } from '../bundle/load.ts';
import type { HistogramSample, Metric } from '../observe/metrics/metric.ts';
import type { StatusPage } from '../observe/status.ts';
import type { ReplicaMessage, SharedSessions } from '../shared-sessions/store.ts';

/** The settings with which a worker starts. */
export interface WorkerStart {
  /** The worker's number, from 1; a worker that replaces another has the same number. */
  readonly worker: number;
  /** The worker's number as a replica of the session store; no other live worker has it. */
  readonly replica: number;
  readonly loaded: LoadedBundle;
}

/** The methods of the session store in the primary. */
export type SessionMethod = {
  [M in keyof SharedSessions]: SharedSessions[M] extends (...args: never) => Promise<unknown> ? M : never;
}[keyof SharedSessions];

export interface SessionCall {
  readonly method: SessionMethod;
  readonly args: readonly unknown[];
}

/** The keys of the limits of a call, and the key of its caller. */
export interface TokenCall {
  readonly limits: readonly string[];
  readonly user: string | undefined;
}

/** A request to embed texts. The plan is named by its JSON text, because during a swap there are two plans. */
export interface EmbeddingCall {
  readonly plan: string;
  readonly texts: readonly string[];
}

export interface EmbeddingResponse {
  /** Identifies the model that computed the vectors. Only vectors of the same origin can be compared. */
  readonly origin: string;
  /** 32-bit floats in the byte order of this machine, in base64. */
  readonly vectors: readonly string[];
}

/** What the primary knows about the embedding service of a plan. */
export interface EmbeddingOrigin {
  readonly origin: string;
  /** Maximum number of texts in one request. */
  readonly maxBatch: number;
}

export type PrimaryHandlers = {
  session(call: SessionCall): unknown;
  /** Answered at once; the answer shows that all earlier messages to this worker have arrived. */
  tick(argument: null): null;
  take(call: TokenCall): number;
  /** Writes an audit record. Answered when the worker may send its next record; this takes longer if the primary cannot write fast enough. */
  record(record: string): null | Promise<null>;
  /** Answered when the embedding service of the plan is available. */
  embeddingOrigin(plan: string): Promise<EmbeddingOrigin>;
  /** Answered when each text has its vector. */
  embed(call: EmbeddingCall): Promise<EmbeddingResponse>;
  embedQuery(call: { readonly plan: string; readonly text: string }): Promise<EmbeddingResponse>;
  /** The metrics of all workers. */
  metrics(argument: null): Promise<readonly Metric[]>;
  /** The worker has accepted a connection that was passed to it. */
  took(connection: number): null;
  /** The worker accepts no more connections, because it is about to exit. */
  retire(argument: null): null;
};

/** The primary's bundle and the state of its swaps. */
export interface BundleUpdate {
  readonly state: BundleState;
  readonly swaps: { readonly refused: number; readonly latestAt: number; readonly seconds: HistogramSample };
}

/** The message that accompanies a connection. */
export interface ConnectionNote {
  readonly connection: number;
}

export interface WorkerReport {
  readonly status: StatusPage;
  readonly metrics: readonly Metric[];
  /** Sessions that only this worker can serve. */
  readonly ownSessions: number;
  /** The keys of the other sessions that this worker holds; empty when the primary stores the sessions and knows their number. */
  readonly sessionKeys: readonly string[];
}

export type WorkerHandlers = {
  /** Opens the gateway, which serves no requests yet. */
  open(start: WorkerStart): Promise<null>;
  /** Resolves when every backend was probed once, or when the time limit for that has passed. */
  settled(argument: null): Promise<null>;
  /** The worker begins to serve clients; after the answer the primary passes connections to it. */
  serve(argument: null): null;
  prepare(next: LoadedBundle): Promise<null>;
  discard(argument: null): null;
  /** After the answer the worker begins no request, until `use` or `release`. */
  hold(argument: null): null;
  release(argument: null): null;
  /** Replaces the bundle by the prepared one, and begins the requests that were held. */
  use(argument: null): null;
  report(update: BundleUpdate): WorkerReport;
  message(message: ReplicaMessage): null;
  ping(argument: null): null;
  stop(argument: null): Promise<null>;
};
