/** A stateless client that sends exactly what a test sets. */
export interface Answered {
  readonly status: number;
  readonly result?: {
    readonly [member: string]: unknown;
    readonly requestState?: string;
    readonly resultType?: string;
  };
  readonly error?: { readonly code: number; readonly message: string };
  /** Params of the progress notifications before the response. */
  readonly progress: readonly unknown[];
}

export class StatelessClient {
  readonly #url: string;
  readonly #capabilities: object;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, capabilities: object = { elicitation: {} }, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url;
    this.#capabilities = capabilities;
    this.#headers = headers;
  }

  /** @param more further params, such as `requestState`, and further members of `_meta` */
  async call(name: string, args: object, more: object = {}, signal?: AbortSignal): Promise<Answered> {
    const _meta = {
      ...(more as { readonly _meta?: object })._meta,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': this.#capabilities,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    };
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
        ...this.#headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, ...more, _meta },
      }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const lines = text.startsWith('{')
      ? [text]
      : text.split('\n').flatMap(line => line.match(/^data: (\{.*)/)?.[1] ?? []);
    const messages = lines.map(line => JSON.parse(line));
    const progress = messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params);
    return { status: response.status, progress, ...messages.at(-1) };
  }
}
