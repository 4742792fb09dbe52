import { type Envelope, formatIdKey } from '../../../../mcp/envelope.ts';
import { createProtocolError } from '../../failure.ts';
import { findMessageKind, type MessageKind } from '../../messages/message-kind.ts';
import { replaceErrorId } from '../../messages/response-body.ts';
import { isCommonResponse, validateResponse } from '../../messages/response-validator.ts';
import { readServerMessage } from '../../messages/server-message.ts';
import type { PostCall } from './post-call.ts';

/** Handles a complete message of the backend: the response, or a notification or request before it. */
export function receiveMessage(call: PostCall, json: Buffer): void {
  if (call.isSettled) return;
  const { id } = call.request;
  if (isCommonResponse(json, id)) {
    call.answer(json);
    return;
  }
  const kind = findMessageKind(json);
  if (kind?.type === 'response' && kind.id === formatIdKey(id)) {
    const violation = validateResponse(json, id);
    if (violation === undefined) call.answer(json);
    else call.failByViolation(violation);
    return;
  }
  const error = kind === undefined || kind.type === 'response' ? replaceErrorId(json, id) : undefined;
  if (error === undefined) receiveOther(call, json, kind);
  else call.answer(error);
}

/** Handles a message that is not the response. */
function receiveOther(call: PostCall, json: Buffer, kind: MessageKind | undefined): void {
  const { context } = call;
  call.markActivity();
  if (kind === undefined) {
    call.fail(createProtocolError(context.backend, 'sent an event that is not a JSON-RPC message'));
  } else if (kind.type === 'response') {
    context.log.debug({ backend: context.backend }, 'ignored an answer to another request');
  } else {
    const message = readServerMessage(context, json.toString('utf8'), kind.type);
    if (kind.type === 'request') receiveRequest(call, message, kind);
    else if (message !== undefined) {
      call.owner.notified?.(message);
      call.sink.message(message);
    }
  }
}

function receiveRequest(
  call: PostCall,
  message: Envelope | undefined,
  { id, method }: { readonly id: string; readonly method: string },
): void {
  if (message === undefined || call.sink.request === undefined || !call.waitForClient(id)) {
    call.owner.refused(id, method);
  } else call.sink.request(message.text, id, method);
}
