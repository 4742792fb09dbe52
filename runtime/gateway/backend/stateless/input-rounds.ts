/**
 * One request of a session whose backend may need to know more first. Its questions are put to the client as requests, and the
 * request is sent again with the answers, until a final answer comes.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type AnswerSink, BackendError, type BackendRequest } from '../backend.ts';
import { CLIENT_MS } from '../context.ts';
import { aborted, protocolError } from '../failure.ts';
import { LinkedAbort } from '../linked-abort.ts';
import { type AskOptions, AskTimeout, askClient, ClientRefusal } from './ask-client.ts';
import { InputError, type InputRequired, inputRequiredIn } from './input-required.ts';
import { followUp } from './request-text.ts';
import { RestoredId } from './restored-id.ts';

/** Up to this size an answer is held back, to see whether it is a question; what is larger is none. 1 MiB. */
const MAX_HELD_BYTES = 1024 * 1024;

/** How often a backend may ask before it answers. */
const MAX_ROUNDS = 10;

/** Before the first repetition that needs nothing but time; each later one waits as much longer. Milliseconds. */
const PAUSE_MS = 200;

export interface InputRoundsOptions {
  readonly backend: string;
  /** What the client can be asked for. */
  readonly capabilities: { readonly [name: string]: unknown };
  readonly expect: AskOptions['expect'];
  /** Ends waiting for the client. */
  readonly signal: AbortSignal;
  /** Sends the request, or sends it again. */
  send(request: BackendRequest, sink: AnswerSink): void;
}

/** The sink of every attempt. */
export class InputRounds implements AnswerSink {
  readonly #request: BackendRequest;
  readonly #sink: AnswerSink;
  readonly #options: InputRoundsOptions;
  /** Where the answer of the current attempt goes. */
  #target: AnswerSink;
  #length: number | undefined;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #isFinal = false;
  #rounds = 0;

  /** `sink` must take requests. */
  constructor(request: BackendRequest, sink: AnswerSink, options: InputRoundsOptions) {
    this.#request = request;
    this.#sink = sink;
    this.#target = sink;
    this.#options = options;
  }

  message(json: string): void {
    this.#sink.message(json);
  }

  /** Only a backend that has turned out to have sessions asks in this way. */
  request(json: string, id: string, method: string): void {
    this.#sink.request?.(json, id, method);
  }

  start(length: number | undefined, httpStatus?: number): void {
    this.#length = length;
    // An error with a status of its own is an answer.
    if (httpStatus !== undefined || (length !== undefined && length > MAX_HELD_BYTES)) this.#letThrough(httpStatus);
  }

  data(chunk: Uint8Array): boolean {
    if (this.#isFinal) return this.#target.data(chunk);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes <= MAX_HELD_BYTES || this.#letThrough();
  }

  onDrain(resume: () => void): void {
    this.#target.onDrain(resume);
  }

  end(): void {
    if (!this.#isFinal) {
      const needed = this.#needed();
      if (needed !== undefined) return void this.#nextRound(needed);
      this.#letThrough();
    }
    this.#target.end();
  }

  fail(error: BackendError): void {
    this.#sink.fail(error);
  }

  #needed(): InputRequired | InputError | undefined {
    try {
      return inputRequiredIn(Buffer.concat(this.#held), this.#options.capabilities);
    } catch (error) {
      if (error instanceof InputError) return error;
      throw error;
    }
  }

  #letThrough(httpStatus?: number): boolean {
    this.#isFinal = true;
    this.#target.start(this.#length, httpStatus);
    let takesMore = true;
    for (const chunk of this.#held) takesMore = this.#target.data(chunk);
    this.#held = [];
    return takesMore;
  }

  async #nextRound(needed: InputRequired | InputError): Promise<void> {
    try {
      if (needed instanceof InputError) throw protocolError(this.#options.backend, needed.message);
      const again = await this.#answered(needed);
      this.#held = [];
      this.#heldBytes = 0;
      this.#target = new RestoredId(this.#sink, again.id, this.#request.id);
      this.#options.send(again, this);
    } catch (error) {
      if (error instanceof ClientRefusal) this.#refused(error);
      else this.#sink.fail(this.#failureOf(error));
    }
  }

  /** The request with the client's answers. */
  async #answered(needed: InputRequired): Promise<BackendRequest> {
    if (++this.#rounds > MAX_ROUNDS) {
      throw protocolError(this.#options.backend, `asked for input more than ${MAX_ROUNDS} times`);
    }
    const request = this.#request;
    const params = await this.#paramsFor(needed);
    // Attempts are independent requests: an id must not be used twice.
    const id = `"lintel-${randomUUID()}"`;
    return { ...request, id, text: followUp(request.text, id, params) };
  }

  /** What the next attempt says beyond the first; a request for no input only wants time. */
  async #paramsFor({ requests, requestState }: InputRequired): Promise<Map<string, string>> {
    const { expect, signal: stop } = this.#options;
    const { signal: given } = this.#request;
    const abort = new LinkedAbort(stop, ...(given === undefined ? [] : [given]));
    const { signal } = abort;
    const params = new Map<string, string>();
    try {
      signal.throwIfAborted();
      if (requests.length === 0) await pause(PAUSE_MS * this.#rounds, undefined, { signal, ref: false });
      else {
        const results = await askClient(requests, { sink: this.#sink, expect, signal, limitMs: CLIENT_MS });
        params.set('inputResponses', objectText(results));
      }
    } finally {
      abort.release();
    }
    if (requestState !== undefined) params.set('requestState', requestState);
    return params;
  }

  #refused({ json }: ClientRefusal): void {
    const body = Buffer.from(`{"jsonrpc":"2.0","id":${this.#request.id},"error":${json}}`);
    this.#sink.start(body.length);
    this.#sink.data(body);
    this.#sink.end();
  }

  #failureOf(error: unknown): BackendError {
    const { backend } = this.#options;
    if (error instanceof BackendError) return error;
    if (error instanceof AskTimeout) {
      return new BackendError(
        backend,
        'timeout',
        `its client did not give an input within ${CLIENT_MS / 60_000} minutes`,
      );
    }
    return aborted(backend);
  }
}

function objectText(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}
