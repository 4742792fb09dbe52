/** The gateway's own requests: the response is collected, parsed and returned as a value. Not for the hot path. */

import { randomBytes } from 'node:crypto';
import { LinkedAbort } from '#shared/util';
import type { BackendError } from '../../mcp/backend-error.ts';
import type { ResponseSink } from '../../mcp/response-sink.ts';
import type { BackendRequest, BackendSession } from './backend.ts';
import { createProtocolError, createTooLarge } from './failure.ts';
import { RpcError } from './rpc-error.ts';

/** Default limit on one collected response: 16 MB. */
const MAX_COLLECTED_BYTES: number = 16 * 1024 * 1024;

/** A shared size limit for several responses. */
export interface ResponseBudget {
  bytesLeft: number;
}

export interface RequestResultOptions {
  /** The request's id; by default unique in this process. */
  readonly id?: string;
  /** Limit on the answer in bytes. Default: `MAX_COLLECTED_BYTES`. */
  readonly maxBytes?: number;
  /** A shared limit for several responses, instead of `maxBytes`. */
  readonly room?: ResponseBudget;
  /** Aborts the request: rejects with BackendError `aborted`. */
  readonly signal?: AbortSignal;
}

let requests = 0;

/** Unique per process, because replicas share sessions. */
const OF_PROCESS: string = randomBytes(6).toString('base64url');

/**
 * Sends a request and resolves with the `result` of its answer.
 *
 * @throws BackendError when no answer came, RpcError when the backend answered with an error
 */
export function requestResult(
  session: Pick<BackendSession, 'request'> & { readonly backend?: string },
  method: string,
  params: unknown,
  options: RequestResultOptions = {},
): Promise<unknown> {
  const id = JSON.stringify(options.id ?? `lintel-r${OF_PROCESS}-${++requests}`);
  const text = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params ?? {})}}`;
  return collect(session.backend ?? '', { text, id, method }, options, (request, sink) =>
    session.request(request, sink),
  );
}

/** Does the same as `requestResult` for any function that sends a request. */
export function collect(
  backend: string,
  request: Omit<BackendRequest, 'signal'>,
  options: Pick<RequestResultOptions, 'maxBytes' | 'room' | 'signal'>,
  send: (request: BackendRequest, sink: ResponseSink) => void,
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const stop = new LinkedAbort([options.signal]);
  const sink = new Collector(
    backend,
    options.room ?? { bytesLeft: options.maxBytes ?? MAX_COLLECTED_BYTES },
    result => {
      resolve(result);
      stop[Symbol.dispose]();
    },
    error => {
      reject(error);
      stop.abort();
    },
  );
  send({ ...request, signal: stop.signal }, sink);
  return promise;
}

class Collector implements ResponseSink {
  readonly #backend: string;
  readonly #room: ResponseBudget;
  readonly #resolve: (result: unknown) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Uint8Array[] = [];

  constructor(
    backend: string,
    room: ResponseBudget,
    resolve: (result: unknown) => void,
    reject: (error: Error) => void,
  ) {
    this.#backend = backend;
    this.#room = room;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  message(): void {}

  start(length: number | undefined): void {
    if (length !== undefined && length > this.#room.bytesLeft) this.#reject(createTooLarge(this.#backend));
  }

  data(chunk: Uint8Array): boolean {
    this.#room.bytesLeft -= chunk.length;
    if (this.#room.bytesLeft < 0) this.#reject(createTooLarge(this.#backend));
    else this.#chunks.push(chunk);
    return true;
  }

  onDrain(): void {}

  end(): void {
    if (this.#room.bytesLeft < 0) {
      this.#reject(createTooLarge(this.#backend));
      return;
    }
    try {
      this.#resolve(readResult(this.#backend, JSON.parse(Buffer.concat(this.#chunks).toString('utf8'))));
    } catch (error) {
      this.#reject(
        error instanceof SyntaxError ? createProtocolError(this.#backend, 'the answer is not JSON') : (error as Error),
      );
    }
  }

  fail(error: BackendError): void {
    this.#reject(error);
  }
}

function readResult(backend: string, answer: unknown): unknown {
  const { result, error } = (answer ?? {}) as { result?: unknown; error?: unknown };
  if (typeof error === 'object' && error !== null) {
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
    throw new RpcError(typeof code === 'number' ? code : -32603, typeof message === 'string' ? message : '', data);
  }
  if (result === undefined) throw createProtocolError(backend, 'the answer has neither a result nor an error');
  return result;
}
