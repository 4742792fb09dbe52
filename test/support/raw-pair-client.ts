/** An HTTP+SSE client in raw HTTP: its requests are POSTs, everything else arrives on its one stream. */
import { type ClientRequest, get, type IncomingMessage } from 'node:http';

export interface PairMessage {
  readonly id?: number | string;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: of any shape
  readonly params?: any;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface PairClientOptions {
  readonly name: string;
  /** The protocol revision. By default 2024-11-05, the last revision without another transport. */
  readonly revision?: string;
  readonly capabilities?: object;
  /** Returns the client's result for a request of the gateway. */
  readonly answer?: (question: PairMessage) => unknown;
}

export interface PairCall {
  readonly onProgress?: ((progress: number) => void) | undefined;
  /** When it is aborted, the client cancels the request with MCP's notification. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: PairCall['onProgress'];
}

export class RawPairClient {
  /** Received notifications, except progress. */
  readonly heard: { readonly method: string; readonly params?: unknown }[] = [];
  /** Protocol violations: responses without a request, second responses, and other invalid messages on the stream. */
  readonly violations: string[] = [];
  readonly #options: PairClientOptions;
  readonly #waiting = new Map<unknown, Waiting>();
  #request: ClientRequest | undefined;
  #messagesUrl = '';
  #id = 0;

  private constructor(options: PairClientOptions) {
    this.#options = options;
  }

  /** Opens the stream at `url` and initializes. */
  static async connect(url: string, options: PairClientOptions): Promise<RawPairClient> {
    const client = new RawPairClient(options);
    await client.#open(url);
    const { name, revision = '2024-11-05', capabilities = {} } = options;
    await client.request('initialize', {
      protocolVersion: revision,
      capabilities,
      clientInfo: { name, version: '1' },
    });
    await client.send({ method: 'notifications/initialized' });
    return client;
  }

  /** Resolves with the `result`; rejects with an error that has the `code` and `data` of the answer. */
  request(method: string, params: object = {}, { onProgress, signal }: PairCall = {}): Promise<unknown> {
    const id = ++this.#id;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, onProgress });
    signal?.addEventListener('abort', () => {
      this.#waiting.get(id)?.reject(new Error('cancelled'));
      this.send({ method: 'notifications/cancelled', params: { requestId: id } }).catch(reject);
    });
    const _meta = { progressToken: id };
    this.send({ id, method, params: onProgress === undefined ? params : { ...params, _meta } }).catch(reject);
    return promise;
  }

  /** Posts a message; rejects when it is refused. */
  async send(message: object): Promise<void> {
    const answer = await fetch(this.#messagesUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    const text = await answer.text();
    if (answer.status !== 202) throw new Error(`HTTP ${answer.status}: ${text}`);
  }

  async close(): Promise<void> {
    this.#request?.destroy();
    this.#failAll('closed');
  }

  #open(url: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#request = get(url, { headers: { accept: 'text/event-stream' } }, stream => {
        if (stream.statusCode !== 200) reject(new Error(`HTTP ${stream.statusCode}`));
        this.#read(stream, reference => {
          this.#messagesUrl = new URL(reference, url).href;
          resolve();
        });
      });
      this.#request.on('error', reject);
    });
  }

  #read(stream: IncomingMessage, onEndpoint: (reference: string) => void): void {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() as string;
      for (const event of events) {
        const [, type, data = ''] = /^event: (\w+)\ndata: (.*)$/s.exec(event) ?? [];
        if (type === 'endpoint') onEndpoint(data);
        else if (type === 'message') this.#message(JSON.parse(data.replaceAll('\ndata: ', '\n')) as PairMessage);
      }
    });
    stream.on('error', () => {});
    stream.on('close', () => this.#failAll('the stream ended'));
  }

  #message(message: PairMessage): void {
    const { id, method, params } = message;
    if (method === 'notifications/progress') this.#waiting.get(params.progressToken)?.onProgress?.(params.progress);
    else if (method !== undefined && id === undefined) this.heard.push({ method, params });
    else if (method !== undefined) this.#answer(message);
    else if (!this.#waiting.has(id)) this.violations.push(JSON.stringify(message));
    else {
      const { resolve, reject } = this.#waiting.get(id) as Waiting;
      this.#waiting.delete(id);
      if (message.error === undefined) resolve(message.result);
      else reject(Object.assign(new Error(message.error.message), message.error));
    }
  }

  #answer(question: PairMessage): void {
    const result = this.#options.answer?.(question);
    const outcome = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
    this.send({ id: question.id, ...outcome }).catch((error: Error) => this.violations.push(error.message));
  }

  #failAll(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }
}
