/** Sends MCP's POST requests with as little work as possible, so that the load generator does not limit the load. */
import { Pool } from 'undici';
import type { JsonRpcMessage } from './ending.ts';

export interface Posted {
  readonly status: number;
  readonly sessionId: string | undefined;
}

/** The connections of all raw clients to one gateway. */
export class Wire {
  readonly #pool: Pool;
  readonly #path: string;

  constructor(url: string, connections: number) {
    const { origin, pathname } = new URL(url);
    this.#path = pathname;
    // The gateway ends stalled calls: a limit of the client would hide that it failed to.
    const limits = { headersTimeout: 60_000, bodyTimeout: 60_000 };
    // Well below the gateway's idle timeout, so that no request is sent on a closing connection.
    const idle = { keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 };
    this.#pool = new Pool(origin, { connections, ...limits, ...idle });
  }

  /** Posts a message; `onMessage` gets each JSON-RPC message of the response as it comes. Rejects when the response breaks off. */
  async post(
    headers: Record<string, string>,
    body: string,
    onMessage: (message: JsonRpcMessage) => void,
  ): Promise<Posted> {
    const answer = await this.#pool.request({
      method: 'POST',
      path: this.#path,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    });
    const type = String(answer.headers['content-type']);
    if (type.startsWith('text/event-stream')) {
      answer.body.setEncoding('utf8');
      let rest = '';
      for await (const chunk of answer.body) {
        const events = (rest + chunk).split('\n\n');
        rest = events.pop() as string;
        for (const event of events) {
          const data = dataOf(event);
          if (data !== '') onMessage(JSON.parse(data) as JsonRpcMessage);
        }
      }
      if (rest !== '') throw new Error(`an event broke off: ${rest}`);
    } else {
      const text = await answer.body.text();
      if (text !== '') onMessage(JSON.parse(text) as JsonRpcMessage);
    }
    return { status: answer.statusCode, sessionId: answer.headers['mcp-session-id'] as string | undefined };
  }

  async delete(headers: Record<string, string>): Promise<number> {
    const { statusCode, body } = await this.#pool.request({ method: 'DELETE', path: this.#path, headers });
    await body.dump();
    return statusCode;
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

function dataOf(event: string): string {
  return event
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => line.slice('data: '.length))
    .join('\n');
}
