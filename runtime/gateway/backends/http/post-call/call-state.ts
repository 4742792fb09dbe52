/**
 * What a call does with what its exchange brings, by how far the response has come. Each state is a class in a file of its own, and says
 * itself which state comes next:
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
 * Each may end in `SETTLED`: with the response, with a failure, or with the call in the hands of its owner.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { BackendError } from '../../backend.ts';
import type { PostCall } from './post-call.ts';

export abstract class CallState {
  /** What goes on when its connection is free, or gone, keeps its turn among the calls to the backend. */
  get keepsTurn(): boolean {
    return true;
  }

  head(_call: PostCall, _status: number, _headers: IncomingHttpHeaders): void {}

  data(_call: PostCall, _chunk: Buffer): void {}

  /** The exchange is complete. */
  end(_call: PostCall): void {}

  /** The exchange has failed by `error`, which is no fault of the caller's; `failure` says so to the sink. */
  failed(call: PostCall, failure: BackendError, _error: Error): void {
    call.fail(failure);
  }
}

class SettledCall extends CallState {
  override get keepsTurn(): boolean {
    return false;
  }
}

/** The last state of all calls. Nothing that comes now changes anything. */
export const SETTLED: CallState = new SettledCall();
