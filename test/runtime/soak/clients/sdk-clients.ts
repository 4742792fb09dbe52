/** Clients made with the official SDKs, which validate every message that they get. */
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Ending, SoakClient } from './ending.ts';

/** The time limit of a call; the gateway's are shorter. */
const OPTIONS = { timeout: 60_000 };

/** The error that both SDKs throw for an error response. */
interface RpcFailure {
  readonly code?: unknown;
  readonly message: string;
  readonly data?: { readonly reason?: string };
}

abstract class SdkClient implements SoakClient {
  readonly name: string;
  readonly #outstanding = new Set<string>();
  #foreign: string | undefined;

  constructor(name: string) {
    this.name = name;
  }

  abstract open(): Promise<void>;
  abstract close(): Promise<void>;
  protected abstract callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;

  async call(tool: string, echo: { readonly mood: string; readonly nonce: string }): Promise<Ending> {
    this.#outstanding.add(echo.nonce);
    try {
      const result = (await this.callTool({ name: tool, arguments: { ...echo } })) as { content: { text: string }[] };
      if (this.#foreign !== undefined) {
        return { kind: 'violation', message: `a question of another call: ${this.#foreign}` };
      }
      return { kind: 'answer', text: String(result.content[0]?.text) };
    } catch (error) {
      const { code, message, data } = error as RpcFailure;
      if (typeof code === 'number') return { kind: 'error', code, message, reason: data?.reason };
      return { kind: 'broken', message };
    } finally {
      this.#outstanding.delete(echo.nonce);
    }
  }

  /** Answers an elicitation with the client's name. */
  protected readonly asked = ({ params }: { params: { message: string } }) => {
    if (!this.#outstanding.has(params.message)) this.#foreign = params.message;
    return { action: 'accept' as const, content: { said: this.name } };
  };
}

export class SdkV1Client extends SdkClient {
  readonly #client: ClientV1;
  readonly #transport: TransportV1 | SSEClientTransport;

  /** @param transport `sse` for HTTP+SSE at `/sse` */
  constructor(name: string, url: string, transport: 'streamable' | 'sse' = 'streamable') {
    super(name);
    this.#client = new ClientV1({ name, version: '1' }, { capabilities: { elicitation: {} } });
    this.#client.setRequestHandler(ElicitRequestSchema, this.asked);
    this.#transport =
      transport === 'sse' ? new SSEClientTransport(new URL('/sse', url)) : new TransportV1(new URL(url));
  }

  open(): Promise<void> {
    return this.#client.connect(this.#transport as Parameters<ClientV1['connect']>[0]);
  }

  async close(): Promise<void> {
    if (this.#transport instanceof TransportV1) await this.#transport.terminateSession();
    await this.#client.close();
  }

  protected callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown> {
    return this.#client.callTool(params, undefined, OPTIONS);
  }
}

export class SdkV2Client extends SdkClient {
  readonly #client: ClientV2;
  readonly #transport: TransportV2;

  /** @param mode `auto` probes for the stateless revision, `legacy` opens a session */
  constructor(name: string, url: string, mode: 'auto' | 'legacy') {
    super(name);
    const options = { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } };
    this.#client = new ClientV2({ name, version: '1' }, options);
    this.#client.setRequestHandler('elicitation/create', this.asked);
    this.#transport = new TransportV2(new URL(url));
  }

  open(): Promise<void> {
    return this.#client.connect(this.#transport);
  }

  async close(): Promise<void> {
    await this.#transport.terminateSession();
    await this.#client.close();
  }

  protected callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown> {
    return this.#client.callTool(params, OPTIONS);
  }
}
