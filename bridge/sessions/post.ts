/** One POST with requests, and the response that carries the answers to them. */
import type { ServerResponse } from 'node:http';
import { beginEvents, writeEvent } from './event-stream.ts';

/** The answer is one JSON document, unless other messages come before it: then it is a stream. */
export class Post {
  readonly #res: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isSingle: boolean;
  #open: number;

  /** @param requests how many the POST has */
  constructor(res: ServerResponse, requests: number, headers: Readonly<Record<string, string>>) {
    this.#res = res;
    this.#headers = headers;
    this.#isSingle = requests === 1;
    this.#open = requests;
  }

  /** Whether the client can receive messages here. */
  get isConnected(): boolean {
    return !this.#res.destroyed && !this.#res.writableEnded;
  }

  /** A client waits here, or has read something, such as the id of its session. */
  get isClaimed(): boolean {
    return !this.#res.destroyed || this.#res.headersSent;
  }

  /** Something before the answer. */
  say(text: string): void {
    if (!this.isConnected) return;
    if (!this.#res.headersSent) beginEvents(this.#res, this.#headers);
    writeEvent(this.#res, text);
  }

  answer(text: string): void {
    this.#open -= 1;
    if (!this.isConnected) return;
    if (this.#isSingle && !this.#res.headersSent) {
      const body = Buffer.from(text);
      this.#res.writeHead(200, {
        'content-type': 'application/json',
        'content-length': body.length,
        ...this.#headers,
      });
      this.#res.end(body);
      return;
    }
    this.say(text);
    if (this.#open === 0) this.#res.end();
  }
}
