/**
 * The states of a call: how it handles the events of its exchange depends on how much of the response has arrived. Each state is a class in a
 * file of its own, and chooses the next state:
 *
 * ```text
 * AwaitingHead ─┬─ application/json ──▶ JsonBody ─┬─▶ ForwardedBody
 *   ▲       │   │                                 └─▶ BatchBody
 *   └ 404 ──┘   ├─ text/event-stream ─▶ EventStream ──▶ ForwardedEvent
 *  (another     │                        │       ▲
 *   session)    │                        ▼       │
 *               │                      LostStream
 *               └─ an error status ───▶ ErrorBody
 * ```
 *
 * Each may end in `SETTLED`: with the response, with a failure, or when the owner takes over the call.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { BackendError } from '../../../../mcp/backend-error.ts';
import type { PostCall } from './post-call.ts';

export abstract class CallState {
  /** Whether a call that continues after its connection was released still counts among the running calls of the backend. */
  get keepsTurn(): boolean {
    return true;
  }

  head(_call: PostCall, _status: number, _headers: IncomingHttpHeaders): void {}

  data(_call: PostCall, _chunk: Buffer): void {}

  /** Called when the exchange is complete. */
  end(_call: PostCall): void {}

  /** Called when the exchange failed with `error`, which is not the caller's fault; `failure` is what the sink gets. */
  failed(call: PostCall, failure: BackendError, _error: Error): void {
    call.fail(failure);
  }
}

class SettledCall extends CallState {
  override get keepsTurn(): boolean {
    return false;
  }
}

/** The last state of all calls. Further events have no effect. */
export const SETTLED: CallState = new SettledCall();
