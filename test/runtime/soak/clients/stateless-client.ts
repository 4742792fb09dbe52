import type { Mood } from '../peers/moods.ts';
import { classifyEnding, type Ending, type JsonRpcMessage, type SoakClient } from './ending.ts';
import type { Wire } from './wire.ts';

const VERSION = '2026-07-28';

/** A stateless client, in raw HTTP. */
export class StatelessClient implements SoakClient {
  readonly name: string;
  readonly #wire: Wire;
  readonly #meta: object;
  #id = 0;

  constructor(name: string, wire: Wire) {
    this.name = name;
    this.#wire = wire;
    this.#meta = {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientInfo': { name, version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
  }

  async open(): Promise<void> {
    const { answers } = await this.#request('server/discover', {});
    if (answers[0]?.result === undefined) throw new Error(`${this.name}: not discovered: ${JSON.stringify(answers)}`);
  }

  async call(tool: string, echo: { readonly mood: Mood; readonly nonce: string }): Promise<Ending> {
    try {
      const params = { name: tool, arguments: echo };
      const first = await this.#request('tools/call', params);
      const result = first.answers[0]?.result;
      if (result?.resultType !== 'input_required') return classifyEnding(first.id, first.answers);
      const questions = Object.entries(result.inputRequests as Record<string, { params: { message: string } }>);
      if (!questions.every(([, question]) => question.params.message === echo.nonce)) {
        return { kind: 'violation', message: `a question of another call: ${JSON.stringify(result)}` };
      }
      const said = { action: 'accept', content: { said: this.name } };
      const inputResponses = Object.fromEntries(questions.map(([key]) => [key, said]));
      const { requestState } = result;
      const second = await this.#request('tools/call', { ...params, inputResponses, requestState });
      return classifyEnding(second.id, second.answers);
    } catch (error) {
      return { kind: 'broken', message: (error as Error).message };
    }
  }

  async close(): Promise<void> {}

  async #request(
    method: string,
    params: { readonly name?: string; readonly [member: string]: unknown },
  ): Promise<{ readonly id: number; readonly answers: readonly JsonRpcMessage[] }> {
    const id = ++this.#id;
    const answers: JsonRpcMessage[] = [];
    const headers = {
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: this.#meta } });
    await this.#wire.post(headers, body, message => {
      // Notifications come before the response; this revision has no requests to clients.
      if (message.method === undefined || message.id !== undefined) answers.push(message);
    });
    return { id, answers };
  }
}
