/** A minimal client that sends exactly what its caller passes. It is for tests and for the programs that simulate parts of a cluster. */
import { type Dispatcher, request as send } from 'undici';
import { isObject, type JsonObject } from './json.ts';

export interface Connection {
  readonly url: string;
  readonly token?: string;
  /** The undici dispatcher for a server with TLS. */
  readonly dispatcher?: Dispatcher;
}

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** Empty when the response is not a JSON object. */
  readonly body: JsonObject;
  readonly text: string;
}

export interface RequestSettings {
  readonly query?: { readonly [name: string]: string | number | boolean | undefined };
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: { readonly [name: string]: string };
}

export interface WatchLine {
  readonly type: string;
  readonly object: JsonObject;
}

export class ApiClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async request(method: string, path: string, settings: RequestSettings = {}): Promise<Answer> {
    const answer = await this.#send(method, path, settings);
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    const body: unknown = isJson ? JSON.parse(text) : {};
    return { status: answer.statusCode, headers: answer.headers, body: isObject(body) ? body : {}, text };
  }

  /** Applies an object at its path (server-side apply). */
  apply(path: string, manager: string, object: unknown, query: RequestSettings['query'] = {}): Promise<Answer> {
    return this.request('PATCH', path, {
      body: object,
      contentType: 'application/apply-patch+yaml',
      query: { fieldManager: manager, ...query },
    });
  }

  /**
   * Opens a watch and yields its events, until the server ends the watch or the signal is aborted.
   *
   * @throws Error with the response, when it is not 200
   */
  async *watch(path: string, query: RequestSettings['query'], signal?: AbortSignal): AsyncGenerator<WatchLine> {
    const answer = await this.#send('GET', path, { query: { ...query, watch: true } }, signal);
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
    let rest = '';
    answer.body.setEncoding('utf8');
    for await (const chunk of answer.body) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as WatchLine;
    }
  }

  async close(): Promise<void> {
    await this.#connection.dispatcher?.close();
  }

  #send(
    method: string,
    path: string,
    settings: RequestSettings,
    signal?: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    const { url, token, dispatcher } = this.#connection;
    const target = new URL(path, url);
    for (const [name, value] of Object.entries(settings.query ?? {})) {
      if (value !== undefined) target.searchParams.set(name, String(value));
    }
    return send(target, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(settings.body !== undefined && { 'content-type': settings.contentType ?? 'application/json' }),
        ...settings.headers,
      },
      ...(settings.body !== undefined && {
        body: typeof settings.body === 'string' ? settings.body : JSON.stringify(settings.body),
      }),
      ...(dispatcher !== undefined && { dispatcher }),
      ...(signal !== undefined && { signal }),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }
}
