import type { IncomingHttpHeaders } from 'node:http';
import { getHeader } from '../../../../http/exchange.ts';
import { BackendError } from '../../../../mcp/backend-error.ts';
import { readHead } from './answer-head.ts';
import { CallState } from './call-state.ts';
import { ErrorBody } from './error-body.ts';
import { EventStream } from './event-stream.ts';
import { JsonBody } from './json-body.ts';
import type { PostCall } from './post-call.ts';

/** The first state: the request is being sent or waits for its turn. */
class AwaitingHead extends CallState {
  /** An answer may show that the session is lost, and opening another one needs the turn. */
  override get keepsTurn(): boolean {
    return false;
  }

  override head(call: PostCall, status: number, headers: IncomingHttpHeaders): void {
    if (status === 404 && call.session?.id !== undefined && !call.isRepeated) {
      call.loseSession(call.session);
      return;
    }
    const head = readHead(call.context, status, headers);
    if (head instanceof BackendError) {
      // The rest of such an answer is probably short; after reading it, the connection can be reused.
      call.discardRest();
      call.reject(status, undefined, () => call.sink.fail(head));
      return;
    }
    call.sessionId = getHeader(headers, 'mcp-session-id');
    if (head.body === 'json') call.become(new JsonBody(call.request.id, head.length));
    else if (head.body === 'error') call.become(new ErrorBody(head.status));
    else new EventStream().open(call);
  }
}

export const AWAITING_HEAD: CallState = new AwaitingHead();
