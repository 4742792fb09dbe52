/** The next attempt at a call that waits for its client. */
import type { ClientResponder } from '../../../mcp/handler.ts';
import type { StatelessCaller } from '../../../mcp/stateless/handler.ts';
import type { Sender } from '../../backends/sender.ts';

/** What all attempts at a call have in common. */
export interface CallTraits {
  readonly method: string;
  /** The name or URI of the tool, prompt or resource, as the client knows it. */
  readonly name: string;
  /** `Identity.key` of the call's owner. */
  readonly owner: string;
  /** The digest of the call's arguments, as `digestArguments` returns it. */
  readonly about: string;
}

/** The client's next request for the same call; it may reach another replica than the first request. */
export interface NextAttempt {
  readonly caller: StatelessCaller;
  /** The id of the request, as JSON text. */
  readonly id: string;
  /** The progress token as JSON text; undefined for a request without one. */
  readonly progressToken: string | undefined;
  readonly answer: ClientResponder;
  /** A key for the limits that the client shares with its other requests. */
  readonly share: string;
  /** The client's answers: JSON text by key of the question. */
  readonly responses: ReadonlyMap<string, string>;
  /**
   * The sender whose credential is used from now on. Undefined when the request reached another replica: no token leaves its replica, so the former
   * sender stays.
   */
  readonly sender: Sender | undefined;
}

/** The waiting calls of this replica. */
export interface WaitingCalls {
  /** Removes and returns the call that an attempt continues; undefined when no call has this secret. */
  take(secret: string, attempt: CallTraits): { resume(attempt: NextAttempt): void } | undefined;
}
