import type { ServerResponse } from 'node:http';
import type { Accepts } from '../http/media-type.ts';
import { respondEmpty } from '../http/respond.ts';
import type { ClientStream } from './client-stream.ts';
import { BoundedBytes, CollectedResponder, createTooLargeError } from './collected-responder.ts';
import type { ClientResponder } from './handler.ts';
import type { SessionStreams } from './session-streams.ts';
import type { StreamConnections } from './stream-connection.ts';
import { createAnswerLost, formatErrorResponse, type WireError } from './wire-error.ts';

export interface BatchResponderOptions {
  readonly accepts: Accepts;
  readonly outlets: StreamConnections;
  readonly streams: SessionStreams;
  /** The number of expected answers. */
  readonly count: number;
}

/** Sends the answers to one batch: as events of one stream when they arrive, or as one JSON array to a client that accepts only JSON. */
export class BatchResponder {
  readonly #res: ServerResponse;
  readonly #outlets: StreamConnections;
  readonly #stream: ClientStream | undefined;
  readonly #members: CollectedResponder[] = [];
  readonly #bytes = new BoundedBytes();
  /** The elements of the JSON array so far. */
  readonly #elements: string[] = [];
  #pending: number;

  constructor(res: ServerResponse, { accepts, outlets, streams, count }: BatchResponderOptions) {
    this.#res = res;
    this.#outlets = outlets;
    this.#pending = count;
    if (accepts.eventStream) {
      this.#stream = streams.create({
        outlets,
        onLost: () => this.#abort(),
        request: '',
      });
      this.#stream.open(res);
    } else {
      res.once('close', () => this.#abort());
    }
  }

  /** The answer to one request. */
  member(id: string, onFinish: () => void): ClientResponder {
    const answer = new CollectedResponder(id, {
      bytes: this.#bytes,
      message: json => this.#stream?.send(json) ?? false,
      deliver: json => this.#deliver(id, json),
      onFinish,
    });
    this.#members.push(answer);
    return answer;
  }

  /** The answer to an invalid member. */
  refuse(error: WireError): void {
    this.#deliver(error.id, formatErrorResponse(error.id, error));
  }

  #deliver(id: string | undefined, json: string | undefined): void {
    const isLast = --this.#pending === 0;
    if (this.#stream === undefined) {
      if (json !== undefined)
        this.#elements.push(
          this.#bytes.take(Buffer.byteLength(json)) ? json : formatErrorResponse(id, createTooLargeError()),
        );
      if (isLast) this.#respond();
    } else if (isLast && json !== undefined) {
      this.#stream.answer(json, id ?? 'null');
    } else if (isLast) {
      this.#stream.end();
    } else if (json !== undefined && !this.#stream.send(json)) {
      this.#stream.send(formatErrorResponse(id, createAnswerLost(false)));
    }
  }

  /** Sends the array. Cancelled requests have no answer; if all requests were cancelled, the response is 202 without an array. */
  #respond(): void {
    if (this.#elements.length === 0) respondEmpty(this.#res, 202);
    else this.#outlets.document(this.#res, `[${this.#elements.join(',')}]`);
  }

  #abort(): void {
    for (const answer of this.#members) answer.abort();
  }
}
