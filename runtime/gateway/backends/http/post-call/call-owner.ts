/** The session that a call is sent in, and the sender that holds it. */
import type { Envelope } from '../../../../mcp/envelope.ts';
import type { ResponseSink } from '../../backend.ts';
import type { PostCall } from './post-call.ts';

/** The session that a call is sent in. `headers`: names and values alternate. */
export interface CallSession {
  readonly id: string | undefined;
  readonly headers: string[];
  /** Headers of a GET that goes on with a lost stream; without them none does. */
  readonly streamHeaders?: readonly string[];
  /** Whether the revision has batches: a message may then be an array of messages. */
  readonly mayBatch?: boolean;
}

/** The sender of calls, which is notified of what concerns the session as a whole. */
export interface CallOwner {
  /** The backend no longer knows `session`. The owner calls `send` again, once, or `fail`. */
  sessionLost(call: PostCall, session: CallSession): void;
  timedOut(call: PostCall): void;
  /** A request of the backend that the sink does not take; `id` is JSON text. */
  refused(id: string, method: string): void;
  /** The backend says something that is not the answer. It may be about what came with another call. */
  notified?(notification: Envelope): void;
  /**
   * An answer with an error status; `body` when it is JSON. True takes the call out of its hands: it is settled without a
   * word to the sink, and `deliver` hands on what would have been.
   */
  rejected?(call: PostCall, status: number, body: Buffer | undefined, deliver: () => void): boolean;
  /** Who takes the answer that begins so, in place of the call's sink; `isWhole`: all of it is there. Not asked for error statuses. */
  sinkFor?(call: PostCall, beginning: Buffer, isWhole: boolean): ResponseSink;
  /** The sink has its answer or its failure, or the owner has taken the call. */
  settled(call: PostCall): void;
}
