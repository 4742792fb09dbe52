/** An MCP client that uses plain HTTP and no SDK, so that tests see the exact bytes. */

export interface RawAnswer {
  readonly status: number;
  readonly type: string;
  /** The JSON-RPC response to the request, as text. */
  readonly text: string;
  readonly headers: Headers;
}

export class RawClient {
  readonly #url: string;
  readonly #authorization: { readonly authorization?: string };
  #session: string | undefined;
  #id = 0;

  /** @param token sent with every request as a bearer token; by default none */
  constructor(url: string, token?: string) {
    this.#url = url;
    this.#authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  /** Opens a session with `initialize` and `notifications/initialized`. */
  async open(protocolVersion = '2025-11-25', capabilities: object = {}): Promise<unknown> {
    const params = { protocolVersion, capabilities, clientInfo: { name: 'raw', version: '1' } };
    const answer = await this.request('initialize', params);
    this.#session = answer.headers.get('mcp-session-id') ?? undefined;
    await this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return JSON.parse(answer.text);
  }

  get sessionId(): string | undefined {
    return this.#session;
  }

  request(method: string, params?: unknown, accept?: string): Promise<RawAnswer> {
    return this.send({ jsonrpc: '2.0', id: ++this.#id, method, ...(params === undefined ? {} : { params }) }, accept);
  }

  async result<T = Record<string, unknown>>(method: string, params?: unknown): Promise<T> {
    const answer = JSON.parse((await this.request(method, params)).text) as { result?: T; error?: unknown };
    if (answer.result === undefined) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  }

  /** Sends JSON text unchanged. */
  async sendText(body: string, accept?: string): Promise<RawAnswer> {
    const response = await this.#post(body, accept);
    const type = response.headers.get('content-type') ?? '';
    const raw = await response.text();
    return {
      status: response.status,
      type,
      text: type.startsWith('text/event-stream') ? lastData(raw) : raw,
      headers: response.headers,
    };
  }

  /** Sends a request and reads its event stream: every message as text, as soon as it arrives. */
  async *stream(method: string, params?: unknown, id: unknown = ++this.#id): AsyncGenerator<string, void> {
    const response = await this.#post(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const events = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      // An event without data only carries an id.
      for (const text of events.map(lastData)) if (text !== '') yield text;
    }
  }

  send(message: unknown, accept?: string): Promise<RawAnswer> {
    return this.sendText(JSON.stringify(message), accept);
  }

  #post(body: string, accept = 'application/json, text/event-stream'): Promise<Response> {
    const session = this.#session === undefined ? {} : { 'mcp-session-id': this.#session };
    const headers = { 'content-type': 'application/json', accept, ...session, ...this.#authorization };
    return fetch(this.#url, { method: 'POST', headers, body });
  }

  async end(): Promise<number> {
    const headers = { 'mcp-session-id': this.#session ?? '', ...this.#authorization };
    const response = await fetch(this.#url, { method: 'DELETE', headers });
    return response.status;
  }
}

function lastData(stream: string): string {
  const events = stream.split('\n\n').filter(event => event.includes('data: '));
  return (events.at(-1) ?? '')
    .split('\n')
    .filter(line => line.startsWith('data: '))
    .map(line => line.slice('data: '.length))
    .join('\n');
}
