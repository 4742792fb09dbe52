/** One POST with requests, and the response that carries their answers. */
import type { ServerResponse } from 'node:http';
import { beginEvents, writeEvent } from './event-stream.ts';

/** The response is one JSON document. It becomes an event stream when another message comes before the answer. */
export class Post {
  readonly #res: ServerResponse;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #isSingle: boolean;
  #open: number;

  /** @param requests number of requests in the POST */
  constructor(res: ServerResponse, requests: number, headers: Readonly<Record<string, string>>) {
    this.#res = res;
    this.#headers = headers;
    this.#isSingle = requests === 1;
    this.#open = requests;
  }

  /** Whether this response can still deliver messages to the client. */
  get isConnected(): boolean {
    return !this.#res.destroyed && !this.#res.writableEnded;
  }

  /** Whether a client waits for this response, or has received part of it, such as the id of its session. */
  get isClaimed(): boolean {
    return !this.#res.destroyed || this.#res.headersSent;
  }

  /** Sends a message before the answer. */
  sendText(text: string): void {
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
    this.sendText(text);
    if (this.#open === 0) this.#res.end();
  }
}
