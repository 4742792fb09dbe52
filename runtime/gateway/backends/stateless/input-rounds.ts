/**
 * One request of a session whose backend may require inputs first. The gateway sends the questions to the client as requests, and sends the
 * request again with the answers, until a final answer arrives.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LinkedAbort } from '#shared/util';
import { BackendError } from '../../../mcp/backend-error.ts';
import { type ClientTraits, OURSELVES } from '../../../mcp/client-traits.ts';
import type { Envelope } from '../../../mcp/envelope.ts';
import type { ResponseSink } from '../../../mcp/response-sink.ts';
import type { BackendRequest } from '../backend.ts';
import { CLIENT_MS } from '../context.ts';
import { createAborted, createProtocolError } from '../failure.ts';
import { InputError, type InputRequired, readInputRequired } from './input-required.ts';
import { ClientRefusal, type InputRequestOptions, InputTimeout, requestInput } from './request-input.ts';
import { followUp } from './request-text.ts';
import { RestoredId } from './restored-id.ts';

/**
 * Up to this size the gateway collects an answer before it forwards it, to check whether it requires inputs. A larger answer requires none. 1 MiB.
 */
const MAX_HELD_BYTES = 1024 * 1024;

/** How often a backend may require inputs before it answers. */
const MAX_ROUNDS = 10;

/** The pause before the first repetition that needs only time; each later pause is longer by the same amount. Milliseconds. */
const PAUSE_MS = 200;

export interface InputRoundsOptions {
  readonly backend: string;
  /** The caller that gets the questions. */
  readonly caller: ClientTraits;
  readonly expect: InputRequestOptions['expect'];
  /** Aborts the wait for the client. */
  readonly signal: AbortSignal;
  /** The requests that currently wait, for the client or for a pause. */
  readonly waiting: Set<InputRounds>;
  /** Sends the request, or sends it again. */
  send(request: BackendRequest, sink: ResponseSink): void;
}

/** The sink of every attempt whose answer may require inputs. */
export class InputRounds implements ResponseSink {
  private readonly _request: BackendRequest;
  private readonly _sink: ResponseSink;
  private readonly _options: InputRoundsOptions;
  /** The sink of the current attempt's answer. */
  private _target: ResponseSink;
  private _length: number | undefined;
  private _chunks: Uint8Array[] = [];
  private _heldBytes = 0;
  private _isFinal = false;
  private _rounds = 0;

  constructor(request: BackendRequest, sink: ResponseSink, options: InputRoundsOptions) {
    this._request = request;
    this._sink = sink;
    this._target = sink;
    this._options = options;
  }

  message(notification: Envelope): void {
    this._sink.message(notification);
  }

  /** Only a backend that turned out to have sessions sends such a request. */
  request(json: string, id: string, method: string): void {
    this._sink.request?.(json, id, method);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this._length = length;
    // An answer with an error status is final.
    if (httpStatus !== undefined || (length !== undefined && length > MAX_HELD_BYTES)) this._letThrough(httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    if (this._isFinal) return this._target.data(chunk);
    this._chunks.push(chunk);
    this._heldBytes += chunk.length;
    return this._heldBytes <= MAX_HELD_BYTES || this._letThrough();
  }

  onDrain(resume: () => void): void {
    this._target.onDrain(resume);
  }

  end(): void {
    if (!this._isFinal) {
      const needed = this._findNeeded();
      if (needed !== undefined) return void this._startNextRound(needed);
      this._letThrough();
    }
    this._target.end();
  }

  fail(error: BackendError): void {
    this._sink.fail(error);
  }

  private _findNeeded(): InputRequired | InputError | undefined {
    // A sink without `request` cannot reach the client.
    const caller = this._sink.request === undefined ? OURSELVES : this._options.caller;
    try {
      return readInputRequired(Buffer.concat(this._chunks), caller);
    } catch (error) {
      if (error instanceof InputError) return error;
      throw error;
    }
  }

  private _letThrough(httpStatus?: number): boolean {
    this._isFinal = true;
    this._target.start(this._length, httpStatus);
    let takesMore = true;
    for (const chunk of this._chunks) takesMore = this._target.data(chunk);
    this._chunks = [];
    return takesMore;
  }

  private async _startNextRound(needed: InputRequired | InputError): Promise<void> {
    try {
      if (needed instanceof InputError) throw createProtocolError(this._options.backend, needed.message);
      const nextRequest = await this._answerNeeded(needed);
      this._chunks = [];
      this._heldBytes = 0;
      this._target = new RestoredId(this._sink, this._request.id);
      this._options.send(nextRequest, this);
    } catch (error) {
      if (error instanceof ClientRefusal) this._refused(error);
      else this._sink.fail(this._toFailure(error));
    }
  }

  /** Returns the request to send next: with the client's answers. */
  private async _answerNeeded(needed: InputRequired): Promise<BackendRequest> {
    if (++this._rounds > MAX_ROUNDS) {
      throw createProtocolError(this._options.backend, `asked for input more than ${MAX_ROUNDS} times`);
    }
    const request = this._request;
    const params = await this._buildParams(needed);
    // Each attempt is an independent request, so it may not reuse the id of another.
    const id = `"lintel-${randomUUID()}"`;
    return { ...request, id, text: followUp(request.text, id, params) };
  }

  /** The params to add to the next attempt. A result without questions only asks for time: then the function waits. */
  private async _buildParams({ requests, requestState }: InputRequired): Promise<Map<string, string>> {
    const { expect, signal: stop, waiting } = this._options;
    const { signal: requestSignal } = this._request;
    using abort = new LinkedAbort([stop, requestSignal]);
    const { signal } = abort;
    const params = new Map<string, string>();
    waiting.add(this);
    try {
      signal.throwIfAborted();
      if (requests.length === 0) await pause(PAUSE_MS * this._rounds, undefined, { signal, ref: false });
      else {
        const results = await requestInput(requests, { sink: this._sink, expect, signal, limitMs: CLIENT_MS });
        params.set('inputResponses', formatObject(results));
      }
    } finally {
      waiting.delete(this);
    }
    if (requestState !== undefined) params.set('requestState', requestState);
    return params;
  }

  private _refused({ json }: ClientRefusal): void {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":${this._request.id},"error":${json}}`);
    this._sink.start(body.length);
    this._sink.data(body);
    this._sink.end();
  }

  private _toFailure(error: unknown): BackendError {
    const { backend } = this._options;
    if (error instanceof BackendError) return error;
    if (error instanceof InputTimeout) {
      return new BackendError(
        backend,
        'timeout',
        `the client of the call did not give an input within ${CLIENT_MS / 60_000} minutes`,
      );
    }
    return createAborted(backend);
  }
}

function formatObject(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}
