import { type PairMessage, RawPairClient } from '../../../support/raw-pair-client.ts';
import type { Mood } from '../peers/moods.ts';
import type { Ending, SoakClient } from './ending.ts';

/** An HTTP+SSE client, in raw HTTP. */
export class PairClient implements SoakClient {
  readonly name: string;
  readonly #url: string;
  readonly #outstanding = new Set<string>();
  #client: RawPairClient | undefined;

  constructor(name: string, url: string) {
    this.name = name;
    this.#url = new URL('/sse', url).href;
  }

  async open(): Promise<void> {
    this.#client = await RawPairClient.connect(this.#url, {
      name: this.name,
      capabilities: { elicitation: {} },
      answer: question => this.#say(question),
    });
  }

  async call(tool: string, echo: { readonly mood: Mood; readonly nonce: string }): Promise<Ending> {
    const client = this.#client as RawPairClient;
    this.#outstanding.add(echo.nonce);
    try {
      const result = await client.request('tools/call', { name: tool, arguments: echo });
      const [violation] = client.violations;
      if (violation !== undefined) return { kind: 'violation', message: violation };
      return { kind: 'answer', text: String((result as { content: { text: string }[] }).content[0]?.text) };
    } catch (error) {
      const { code, message, data } = error as { code?: unknown; message: string; data?: { reason?: string } };
      if (typeof code === 'number') return { kind: 'error', code, message, reason: data?.reason };
      return { kind: 'broken', message };
    } finally {
      this.#outstanding.delete(echo.nonce);
    }
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  /** Answers an elicitation with the client's name; ignores one of another call. */
  #say({ method, params }: PairMessage): unknown {
    if (method !== 'elicitation/create') return undefined;
    if (!this.#outstanding.has(params.message))
      this.#client?.violations.push(`a question of another call: ${params.message}`);
    return { action: 'accept', content: { said: this.name } };
  }
}
