/** The session of a call, and the sender that owns the session. */

import type { Envelope } from '../../../../mcp/envelope.ts';
import type { ResponseSink } from '../../../../mcp/response-sink.ts';
import type { PostCall } from './post-call.ts';

/** The session of a call. `headers`: names and values alternate. */
export interface CallSession {
  readonly id: string | undefined;
  readonly headers: string[];
  /** Headers of the GET that resumes a lost stream; undefined when streams cannot be resumed. */
  readonly streamHeaders?: readonly string[];
  /** Whether the revision has batches: a body may then be an array of messages. */
  readonly mayBatch?: boolean;
}

/** The sender of calls. Calls notify it of events that concern the whole session. */
export interface CallOwner {
  /** The backend no longer knows `session`. The owner calls `send` again once, or `fail`. */
  sessionLost(call: PostCall, session: CallSession): void;
  timedOut(call: PostCall): void;
  /** A request of the backend that the sink does not accept; `id` is JSON text. */
  refused(id: string, method: string): void;
  /** Called with a message of the backend that is not the answer. It may concern another call. */
  notified?(notification: Envelope): void;
  /**
   * Called with an answer that has an error status; `body` is its JSON, if it is JSON. If the owner returns true, it takes over: the call settles
   * without calling its sink, and `deliver` forwards the answer when the owner calls it.
   */
  rejected?(call: PostCall, status: number, body: Buffer | undefined, deliver: () => void): boolean;
  /**
   * Returns the sink of an answer that begins with these bytes, in place of the call's sink. `isWhole`: the answer is complete. Not called for
   * error statuses.
   */
  createSink?(call: PostCall, beginning: Buffer, isWhole: boolean): ResponseSink;
  /** Called when the sink has its answer or failure, or when the owner has taken over the call. */
  settled(call: PostCall): void;
}
