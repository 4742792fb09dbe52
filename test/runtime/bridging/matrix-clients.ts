/** Four kinds of client behind one face, each of which answers every question with its own name. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { JsonRpcMessage } from '../soak/clients/ending.ts';
import { Wire } from '../soak/clients/wire.ts';

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface MatrixClient {
  listTools(): Promise<readonly string[]>;
  /** Rejects with an error that has the answer's `code`. */
  callTool(name: string, args: Record<string, unknown>, onProgress?: (progress: number) => void): Promise<ToolResult>;
  close(): Promise<void>;
}

/** Connects a client that is called `name` to the gateway. */
export type Connect = (url: string, name: string) => Promise<MatrixClient>;

export const CLIENTS: readonly (readonly [kind: string, connect: Connect])[] = [
  ['SDK v1', connectV1],
  ['SDK v2, stateless', (url, name) => connectV2(url, name, 'auto')],
  ['SDK v2, session', (url, name) => connectV2(url, name, 'legacy')],
  ['raw', (url, name) => RawSession.connect(url, name)],
];

/** What a client of this name says to a question. */
export function saidBy(name: string, message: string): string {
  return `${name} heard ${message}`;
}

const answerOf = (name: string, message: string) => ({
  action: 'accept' as const,
  content: { name: saidBy(name, message) },
});

async function connectV1(url: string, name: string): Promise<MatrixClient> {
  const client = new ClientV1({ name, version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(name, params.message));
  const transport = new TransportV1(new URL(url));
  await client.connect(transport as Parameters<ClientV1['connect']>[0]);
  return {
    listTools: async () => (await client.listTools()).tools.map(tool => tool.name),
    callTool: async (tool, args, onProgress) => {
      const onprogress = onProgress && (({ progress }: { progress: number }) => onProgress(progress));
      return toolResult(
        await client.callTool({ name: tool, arguments: args }, undefined, onprogress && { onprogress }),
      );
    },
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
  };
}

async function connectV2(url: string, name: string, mode: 'auto' | 'legacy'): Promise<MatrixClient> {
  const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } };
  const client = new ClientV2({ name, version: '1' }, options);
  client.setRequestHandler('elicitation/create', ({ params }) => answerOf(name, params.message));
  const transport = new TransportV2(new URL(url));
  await client.connect(transport);
  return {
    listTools: async () => (await client.listTools()).tools.map(tool => tool.name),
    callTool: async (tool, args, onProgress) => {
      const onprogress = onProgress && (({ progress }: { progress: number }) => onProgress(progress));
      return toolResult(await client.callTool({ name: tool, arguments: args }, onprogress && { onprogress }));
    },
    close: async () => {
      await transport.terminateSession();
      await client.close();
    },
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
