/** Sends a backend's questions to the client, all at once, and collects the answers. */

import { readEnvelope } from '../../../mcp/read-envelope.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import { formatCancellation } from '../messages/control-messages.ts';
import type { InputRequest } from './input-required.ts';

/** A client's answer: a result or an error, as JSON text. */
export interface InputResponse {
  readonly result?: string | undefined;
  readonly error?: string | undefined;
}

export interface InputRequestOptions {
  /** The sink that gets the questions (`request`), and the withdrawals of obsolete ones (`message`). */
  readonly sink: ResponseSink;
  /** Registers a receiver for the response to the request with this id (JSON text); returns a function that removes it. */
  expect(id: string, onResponse: (response: InputResponse) => void): () => void;
  readonly signal: AbortSignal;
  /** For all answers together; milliseconds. */
  readonly limitMs: number;
}

/** The client answered a question with an error. */
export class ClientRefusal extends Error {
  /** The client's error as JSON text. */
  readonly json: string;
  constructor(json: string) {
    super('the client refused to give an input');
    this.json = json;
  }
}

/** The client took longer than allowed. */
export class InputTimeout extends Error {}

let questions = 0;

/**
 * Returns the results by key, as JSON text.
 * @throws ClientRefusal, InputTimeout, or the signal's reason; open questions are then withdrawn
 */
export function requestInput(
  requests: readonly InputRequest[],
  options: InputRequestOptions,
): Promise<Map<string, string>> {
  const { sink, signal, limitMs } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
  const results = new Map<string, string>();
  /** Functions that remove the receivers, by the ids of the open questions. */
  const open = new Map<string, () => void>();
  let hasFailed = false;
  const fail = (error: unknown) => {
    hasFailed = true;
    reject(error);
    for (const [id, stop] of open) {
      stop();
      if (!signal.aborted)
        sink.message(readEnvelope(formatCancellation(id, 'no request waits for the answer any more')));
    }
    open.clear();
  };
  const onAbort = () => fail(signal.reason);
  const timer = setTimeout(() => fail(new InputTimeout()), limitMs);
  timer.unref();
  signal.addEventListener('abort', onAbort);
  for (const { key, method, params } of requests) {
    // If the client is unreachable, that is known at once: the other questions would be useless.
    if (hasFailed) break;
    const id = `"lintel-i${++questions}"`;
    const stop = options.expect(id, ({ result, error }) => {
      open.delete(id);
      if (result === undefined) return fail(new ClientRefusal(error ?? 'null'));
      results.set(key, result);
      if (open.size === 0) resolve(results);
    });
    open.set(id, stop);
    sink.request?.(requestText(id, method, params), id, method);
  }
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}

function requestText(id: string, method: string, params: string | undefined): string {
  const rest = params === undefined ? '' : `,"params":${params}`;
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${rest}}`;
}
