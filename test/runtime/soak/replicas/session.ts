/** One session of an official SDK client, and a model of what it must get. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

/** A client whose stream breaks before its first event would wait forever. */
const OPTIONS = { timeout: 120_000 };

/** The code of the error that the SDK throws after that time. */
const TIMED_OUT = -32001;

/** The longest time that a user takes to answer; milliseconds. */
const THINKING_MS = 3_000;

/** How often a user's answer is sent, and the pause in between; milliseconds. */
const ANSWER_TRIES = 40;
const ANSWER_PAUSE_MS = 500;

/** How an operation failed, by the responsible part. */
export type Failure = 'replica_lost' | 'timeout' | 'connection' | 'store_away' | 'backend' | 'other';

export type Outcome = { readonly kind: 'done' } | { readonly kind: 'failed'; readonly failure: Failure; text: string };

interface Wire {
  readonly id?: unknown;
  readonly method?: unknown;
}

export class SoakSession {
  readonly name: string;
  /** The resource to which only this session is subscribed. */
  readonly uri: string;
  updates = 0;
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #wrong: (what: string) => void;
  readonly #answers = new Map<unknown, number>();
  readonly #asked = new Map<string, number>();
  #sessionId: string | undefined;
  #count = 0;

  /** @param wrong called with each violation */
  constructor(name: string, url: string, wrong: (what: string) => void) {
    this.name = name;
    this.uri = `memo://${name}`;
    this.#wrong = what => wrong(`${name}: ${what}`);
    this.#client = new Client({ name, version: '1' }, { capabilities: { elicitation: {} } });
    this.#transport = new StreamableHTTPClientTransport(new URL(url), {
      reconnectionOptions: {
        initialReconnectionDelay: 100,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1.5,
        maxRetries: 1_000,
      },
    });
    this.#sendAnswersUntilTaken();
    this.#client.setRequestHandler(ElicitRequestSchema, async ({ params: { message } }) => {
      if (!message.startsWith(`${name}/`)) this.#wrong(`got a question for another client: ${message}`);
      const times = (this.#asked.get(message) ?? 0) + 1;
      this.#asked.set(message, times);
      if (times > 1) this.#wrong(`was asked ${times} times: ${message}`);
      await sleep(Math.random() * THINKING_MS);
      return { action: 'accept', content: { name: message } };
    });
    this.#client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params: { uri } }) => {
      if (uri === this.uri) this.updates++;
      else this.#wrong(`got an update that another client has subscribed to: ${uri}`);
    });
  }

  async open(): Promise<void> {
    await this.#client.connect(this.#transport);
    this.#sessionId = this.#transport.sessionId;
    const receive = this.#transport.onmessage;
    this.#transport.onmessage = message => {
      this.#countAnswer(message as Wire);
      receive?.(message);
    };
    await this.#client.subscribeResource({ uri: this.uri }, OPTIONS);
  }

  /** Calls a tool that returns its argument. */
  echo(backend: string): Promise<Outcome> {
    const nonce = this.#nonce();
    return this.#try(async () => this.#expectText(await this.#call(`${backend}_echo`, { nonce }), nonce));
  }

  /** Calls a tool that elicits from this client first. */
  ask(backend: string): Promise<Outcome> {
    const message = this.#nonce();
    return this.#try(async () => this.#expectText(await this.#call(`${backend}_elicit`, { message }), message));
  }

  /** Checks that the session is still the one that was opened, and ends it. */
  async close(): Promise<void> {
    if (this.#transport.sessionId !== this.#sessionId) this.#wrong('has another session than the one it opened');
    await this.#transport.terminateSession();
    await this.#client.close();
  }

  /** The SDK drops a user's answer when its POST is refused (503, while the store is unavailable) or breaks. */
  #sendAnswersUntilTaken(): void {
    const transport = this.#transport;
    const send = transport.send.bind(transport);
    transport.send = async (message, options) => {
      const isAnswer = (message as Wire).method === undefined;
      for (let tries = 1; ; tries++) {
        try {
          return await send(message, options);
        } catch (error) {
          if (!isAnswer || tries === ANSWER_TRIES) throw error;
          await sleep(ANSWER_PAUSE_MS);
        }
      }
    };
  }

  #nonce(): string {
    return `${this.name}/${++this.#count}`;
  }

  async #call(name: string, args: { [name: string]: unknown }): Promise<string> {
    const { content } = await this.#client.callTool({ name, arguments: args }, undefined, OPTIONS);
    const text = (content as { text: string }[])[0]?.text ?? '';
    // The backend got no answer to its elicitation, because a stream broke before it reached the client.
    if (text.startsWith('refused with ')) throw Object.assign(new Error(text), { code: TIMED_OUT });
    return text;
  }

  #expectText(text: string, nonce: string): void {
    if (!text.includes(`"${nonce}"`)) this.#wrong(`got another answer for ${nonce}: ${text.slice(0, 200)}`);
  }

  async #try(operation: () => Promise<void>): Promise<Outcome> {
    try {
      await operation();
      return { kind: 'done' };
    } catch (error) {
      const failure = failureOf(error);
      return { kind: 'failed', failure, text: `${this.name}: ${described(error as Error)}` };
    }
  }

  #countAnswer({ id, method }: Wire): void {
    if (id === undefined || method !== undefined) return;
    const times = (this.#answers.get(id) ?? 0) + 1;
    this.#answers.set(id, times);
    if (times > 1) this.#wrong(`got ${times} answers for request ${String(id)}`);
  }
}

function failureOf(error: unknown): Failure {
  const { data, message, code } = error as { data?: { reason?: string }; message: string; code?: unknown };
  if (data?.reason === 'replica_lost') return 'replica_lost';
  if (code === TIMED_OUT && data?.reason === undefined) return 'timeout';
  if (code === 503 || message.includes('session store')) return 'store_away';
  if (data?.reason !== undefined) return 'backend';
  // Errors of `fetch` are TypeErrors, and so are bugs.
  if (code === 502 || /fetch failed|terminated|socket|ECONN/i.test(message)) return 'connection';
  return 'other';
}

/** With its cause: `fetch failed` alone does not show which end of the connection failed. */
function described(error: Error & { readonly code?: unknown }): string {
  const cause = error.cause as (Error & { readonly code?: unknown }) | undefined;
  const parts = [error.name, error.code, error.message, cause?.code, cause?.message];
  return parts.filter(part => part !== undefined && part !== '').join(' ');
}
