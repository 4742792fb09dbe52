/** A stateless server that answers each call in the way that the call names. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerPost, MOVED_PATH, sendJson } from './answer-post.ts';
import { commonResult, type EchoArguments, echoText } from './moods.ts';
import type { Message, Peer } from './peer.ts';

const REVISION = '2026-07-28';

export class StatelessPeer implements Peer {
  readonly name: string;
  readonly path = '/mcp';
  readonly openSessions = 0;
  /** The target of `redirect-away`. */
  readonly #elsewhere: string;

  constructor(name: string, elsewhere: string) {
    this.name = name;
    this.#elsewhere = elsewhere;
  }

  handle(request: IncomingMessage, response: ServerResponse, message: Message | undefined): void {
    const { id, method = '', params } = message ?? {};
    const problem = contradiction(request, method, params?.name);
    if (request.method !== 'POST') {
      response.writeHead(405).end();
    } else if (problem !== undefined) {
      send(response, { jsonrpc: '2.0', id, error: { code: -32020, message: problem } }, 400);
    } else if (method === 'tools/call') {
      this.#call(request, response, id, params);
    } else {
      const result = this.#resultOf(method);
      const outcome = result === undefined ? { error: { code: -32601, message: `no method ${method}` } } : { result };
      send(response, { jsonrpc: '2.0', id, ...outcome }, result === undefined ? 404 : 200);
    }
  }

  #resultOf(method: string): object | undefined {
    const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const _meta = { 'io.modelcontextprotocol/serverInfo': { name: this.name, version: '1' } };
    if (method === 'server/discover') {
      return { ...cached, supportedVersions: [REVISION], capabilities: { tools: {} }, _meta };
    }
    const result = method === 'tools/list' ? commonResult(this.name, method) : undefined;
    return result && { ...cached, ...result, _meta };
  }

  // biome-ignore lint/suspicious/noExplicitAny: of any shape
  #call(request: IncomingMessage, response: ServerResponse, id: unknown, params: any): void {
    const { mood, nonce } = params.arguments as EchoArguments;
    const said = params.inputResponses?.q?.content?.said as string | undefined;
    if (mood === 'ask' && params.requestState !== nonce) {
      const requestedSchema = { type: 'object', properties: { said: { type: 'string' } } };
      const q = { method: 'elicitation/create', params: { mode: 'form', message: nonce, requestedSchema } };
      send(response, {
        jsonrpc: '2.0',
        id,
        result: { resultType: 'input_required', inputRequests: { q }, requestState: nonce },
      });
      return;
    }
    answerPost(response, request.url === MOVED_PATH ? 'plain' : mood, {
      answer: answerText(id, echoText(this.name, nonce, said)),
      again: answerText(id, 'said again'),
      foreign: answerText('of another', 'to another'),
      elsewhere: this.#elsewhere,
    });
  }
}

function answerText(id: unknown, text: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: [{ type: 'text', text }] } });
}

/** How the headers contradict the message, or are missing. */
function contradiction(request: IncomingMessage, method: string, name: unknown): string | undefined {
  const { headers } = request;
  if (headers['mcp-protocol-version'] !== REVISION) return 'MCP-Protocol-Version';
  if (headers['mcp-method'] !== method) return 'Mcp-Method';
  if (name !== undefined && headers['mcp-name'] !== name) return 'Mcp-Name';
  return undefined;
}

function send(response: ServerResponse, message: object, status = 200): void {
  sendJson(response, JSON.stringify(message), {}, status);
}
