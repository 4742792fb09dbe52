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
import type { BackendError } from '../../backend.ts';
import type { PostCall } from './post-call.ts';

export abstract class CallState {
  /** A call that continues after its connection was released keeps its turn among the backend's calls. */
  get keepsTurn(): boolean {
    return true;
  }

  head(_call: PostCall, _status: number, _headers: IncomingHttpHeaders): void {}

  data(_call: PostCall, _chunk: Buffer): void {}

  /** The exchange is complete. */
  end(_call: PostCall): void {}

  /** The exchange failed with `error`, which is not the caller's fault; `failure` is the sink's form of it. */
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
