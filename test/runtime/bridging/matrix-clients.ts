/** Every kind of client behind one interface; each answers elicitations with its own name. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type LoggingLevel } from '@modelcontextprotocol/sdk/types.js';
import { type PairMessage, RawPairClient } from '../../support/raw-pair-client.ts';
import type { JsonRpcMessage } from '../soak/clients/ending.ts';
import { Wire } from '../soak/clients/wire.ts';

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface MatrixClient {
  listTools(): Promise<readonly string[]>;
  /** Rejects with an error with the response's `code`, or when the signal cancels the call. */
  callTool(
    name: string,
    args: Record<string, unknown>,
    onProgress?: (progress: number) => void,
    signal?: AbortSignal,
  ): Promise<ToolResult>;
  close(): Promise<void>;
}

/** A session that records what it receives outside of calls. */
export interface MatrixSession extends MatrixClient {
  /** The notifications so far, except progress. */
  readonly heard: readonly { readonly method: string; readonly params?: unknown }[];
  setLoggingLevel(level: LoggingLevel): Promise<unknown>;
  subscribe(uri: string): Promise<unknown>;
  unsubscribe(uri: string): Promise<unknown>;
}

/** Connects a client that is called `name` to the gateway. */
export type Connect<C = MatrixClient> = (url: string, name: string) => Promise<C>;

/** Clients with a notification stream. */
export const SESSIONS: readonly (readonly [kind: string, connect: Connect<MatrixSession>])[] = [
  ['SDK v1', (url, name) => connectV1(new TransportV1(new URL(url)), name)],
  ['SDK v1, HTTP+SSE', (url, name) => connectV1(new SSEClientTransport(new URL('/sse', url)), name)],
  ['SDK v2, session', (url, name) => connectV2(url, name, 'legacy')],
  ['raw HTTP+SSE', connectPair],
];

export const CLIENTS: readonly (readonly [kind: string, connect: Connect])[] = [
  ...SESSIONS,
  ['SDK v2, stateless', (url, name) => connectV2(url, name, 'auto')],
  ['raw', (url, name) => RawSession.connect(url, name)],
];

/** The answer of the client with this name to an elicitation. */
export function saidBy(name: string, message: string): string {
  return `${name} heard ${message}`;
}

const answerOf = (name: string, message: string) => ({
  action: 'accept' as const,
  content: { name: saidBy(name, message) },
});

/** The interface that clients of both SDKs share. */
type SdkClient = Pick<ClientV1, 'listTools' | 'setLoggingLevel' | 'close'> & {
  subscribeResource(params: { uri: string }): Promise<unknown>;
  unsubscribeResource(params: { uri: string }): Promise<unknown>;
};

/** Options of a call in the SDKs. */
interface SdkCall {
  readonly onprogress?: ({ progress }: { progress: number }) => void;
  readonly signal?: AbortSignal;
}

function overSdk(
  client: SdkClient,
  heard: MatrixSession['heard'],
  callTool: (params: { name: string; arguments: Record<string, unknown> }, options: SdkCall) => Promise<unknown>,
  endSession: () => Promise<void>,
): MatrixSession {
  return {
    heard,
    listTools: async () => (await client.listTools()).tools.map(tool => tool.name),
    callTool: async (name, args, onProgress, signal) => {
      const onprogress = onProgress && (({ progress }: { progress: number }) => onProgress(progress));
      const options = { ...(onprogress && { onprogress }), ...(signal && { signal }) };
      return toolResult(await callTool({ name, arguments: args }, options));
    },
    setLoggingLevel: level => client.setLoggingLevel(level),
    subscribe: uri => client.subscribeResource({ uri }),
    unsubscribe: uri => client.unsubscribeResource({ uri }),
    close: async () => {
      await endSession();
      await client.close();
    },
  };
}

async function connectV1(transport: TransportV1 | SSEClientTransport, name: string): Promise<MatrixSession> {
  const client = new ClientV1({ name, version: '1' }, { capabilities: { elicitation: {} } });
  const heard: MatrixSession['heard'][number][] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(name, params.message));
  client.fallbackNotificationHandler = async notification => void heard.push(notification);
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  if (transport instanceof SSEClientTransport) oneAtATime(transport);
  return overSdk(
    client,
    heard,
    (params, options) => client.callTool(params, undefined, options),
    async () => {
      if (transport instanceof TransportV1) await transport.terminateSession();
    },
  );
}

/**
 * Delivers each message when the effects of the previous one are complete. On HTTP+SSE the SDK loses progress that arrives together with the
 * response, even with its own server: the response removes the handler before the notification is delivered.
 */
function oneAtATime(transport: SSEClientTransport): void {
  const { onmessage } = transport;
  let last = Promise.resolve();
  transport.onmessage = message => {
    last = last.then(() => onmessage?.(message));
  };
}

async function connectV2(url: string, name: string, mode: 'auto' | 'legacy'): Promise<MatrixSession> {
  const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } };
  const client = new ClientV2({ name, version: '1' }, options);
  const heard: MatrixSession['heard'][number][] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => answerOf(name, params.message));
  client.fallbackNotificationHandler = async notification => void heard.push(notification);
  const transport = new TransportV2(new URL(url));
  await client.connect(transport);
  return overSdk(
    client as unknown as SdkClient,
    heard,
    (params, options) => client.callTool(params, options),
    () => transport.terminateSession(),
  );
}

async function connectPair(url: string, name: string): Promise<MatrixSession> {
  const answer = ({ params }: PairMessage) => answerOf(name, params.message);
  const client = await RawPairClient.connect(new URL('/sse', url).href, {
    name,
    capabilities: { elicitation: {} },
    answer,
  });
  return {
    heard: client.heard,
    listTools: async () =>
      ((await client.request('tools/list')) as { tools: { name: string }[] }).tools.map(t => t.name),
    callTool: async (tool, args, onProgress, signal) =>
      toolResult(await client.request('tools/call', { name: tool, arguments: args }, { onProgress, signal })),
    setLoggingLevel: level => client.request('logging/setLevel', { level }),
    subscribe: uri => client.request('resources/subscribe', { uri }),
    unsubscribe: uri => client.request('resources/unsubscribe', { uri }),
    close: () => client.close(),
  };
}

function toolResult(result: unknown): ToolResult {
  const { content, isError } = result as { content: { text: string }[]; isError?: boolean };
  return { text: content[0]?.text ?? '', isError: isError === true };
}

/** A session in raw HTTP. */
class RawSession implements MatrixClient {
  readonly #wire: Wire;
  readonly #name: string;
  #headers: Record<string, string> = {};
  #id = 0;

  private constructor(url: string, name: string) {
    this.#wire = new Wire(url, 4);
    this.#name = name;
  }

  static async connect(url: string, name: string): Promise<RawSession> {
    const session = new RawSession(url, name);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name, version: '1' },
    };
    const { sessionId = '' } = await session.#send({ id: ++session.#id, method: 'initialize', params });
    session.#headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': '2025-11-25' };
    await session.#send({ method: 'notifications/initialized' });
    return session;
  }

  async listTools(): Promise<readonly string[]> {
    const { tools } = (await this.#request('tools/list', {})) as { tools: { name: string }[] };
    return tools.map(tool => tool.name);
  }

  async callTool(
    name: string,
    args: Record<string, unknown>,
    onProgress?: (progress: number) => void,
  ): Promise<ToolResult> {
    const _meta = { progressToken: this.#id };
    return toolResult(
      await this.#request('tools/call', { name, arguments: args, ...(onProgress && { _meta }) }, onProgress),
    );
  }

  async close(): Promise<void> {
    await this.#wire.delete(this.#headers);
    await this.#wire.close();
  }

  async #request(method: string, params: object, onProgress?: (progress: number) => void): Promise<unknown> {
    const id = ++this.#id;
    let answer: JsonRpcMessage | undefined;
    await this.#send({ id, method, params }, message => {
      if (message.method === undefined) answer = message;
      else if (message.method === 'notifications/progress') onProgress?.(message.params.progress);
      else if (message.method === 'elicitation/create') {
        void this.#send({ id: message.id, result: answerOf(this.#name, message.params.message) });
      }
    });
    if (answer?.id !== id) throw new Error(`no answer to ${id}: ${JSON.stringify(answer)}`);
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  }

  #send(message: object, onMessage: (message: JsonRpcMessage) => void = () => {}) {
    return this.#wire.post(this.#headers, JSON.stringify({ jsonrpc: '2.0', ...message }), onMessage);
  }
}
