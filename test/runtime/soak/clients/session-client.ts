import type { Mood } from '../peers/moods.ts';
import { classifyEnding, type Ending, type JsonRpcMessage, type SoakClient } from './ending.ts';
import type { Wire } from './wire.ts';

const VERSION = '2025-11-25';

/** A client with sessions, in raw HTTP. */
export class SessionClient implements SoakClient {
  readonly name: string;
  readonly #wire: Wire;
  #headers: Record<string, string> = {};
  #id = 0;

  constructor(name: string, wire: Wire) {
    this.name = name;
    this.#wire = wire;
  }

  async open(): Promise<void> {
    const params = {
      protocolVersion: VERSION,
      capabilities: { elicitation: {} },
      clientInfo: { name: this.name, version: '1' },
    };
    const { status, sessionId } = await this.#send({ id: ++this.#id, method: 'initialize', params }, () => {});
    if (sessionId === undefined) throw new Error(`${this.name}: no session, HTTP ${status}`);
    this.#headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': VERSION };
    await this.#send({ method: 'notifications/initialized' }, () => {});
  }

  async call(tool: string, echo: { readonly mood: Mood; readonly nonce: string }): Promise<Ending> {
    const id = ++this.#id;
    const answers: JsonRpcMessage[] = [];
    let foreign: JsonRpcMessage | undefined;
    let unsaid: Error | undefined;
    try {
      await this.#send({ id, method: 'tools/call', params: { name: tool, arguments: echo } }, message => {
        if (message.method === undefined) answers.push(message);
        else if (message.id === undefined) return;
        else if (message.params?.message === echo.nonce) this.#say(message).catch((error: Error) => (unsaid = error));
        else foreign = message;
      });
    } catch (error) {
      return { kind: 'broken', message: (error as Error).message };
    }
    if (unsaid !== undefined) return { kind: 'broken', message: `the answer to a question: ${unsaid.message}` };
    if (foreign === undefined) return classifyEnding(id, answers);
    return { kind: 'violation', message: `a question of another call: ${JSON.stringify(foreign)}` };
  }

  async close(): Promise<void> {
    const status = await this.#wire.delete(this.#headers);
    if (status !== 204) throw new Error(`${this.name}: the session did not end, HTTP ${status}`);
  }

  /** Answers an elicitation with the client's name. */
  #say({ id }: JsonRpcMessage): Promise<unknown> {
    return this.#send({ id, result: { action: 'accept', content: { said: this.name } } }, () => {});
  }

  #send(message: object, onMessage: (message: JsonRpcMessage) => void) {
    return this.#wire.post(this.#headers, JSON.stringify({ jsonrpc: '2.0', ...message }), onMessage);
  }
}
