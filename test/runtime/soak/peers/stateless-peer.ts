/** A server of the stateless revision that does to each call what the call says. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { commonResult, type EchoArguments, echoText, LATE_MS } from './moods.ts';
import type { Message, Peer } from './peer.ts';

const REVISION = '2026-07-28';

export class StatelessPeer implements Peer {
  readonly name: string;
  readonly path = '/mcp';
  readonly openSessions = 0;

  constructor(name: string) {
    this.name = name;
  }

  handle(request: IncomingMessage, response: ServerResponse, message: Message | undefined): void {
    const { id, method = '', params } = message ?? {};
    const problem = contradiction(request, method, params?.name);
    if (request.method !== 'POST') {
      response.writeHead(405).end();
    } else if (problem !== undefined) {
      sendJson(response, 400, { jsonrpc: '2.0', id, error: { code: -32020, message: problem } });
    } else if (method === 'tools/call') {
      this.#call(response, id, params);
    } else {
      const result = this.#resultOf(method);
      const outcome = result === undefined ? { error: { code: -32601, message: `no method ${method}` } } : { result };
      sendJson(response, result === undefined ? 404 : 200, { jsonrpc: '2.0', id, ...outcome });
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
  #call(response: ServerResponse, id: unknown, params: any): void {
    const { mood, nonce } = params.arguments as EchoArguments;
    const said = params.inputResponses?.q?.content?.said as string | undefined;
    const answer = () => {
      const content = [{ type: 'text', text: echoText(this.name, nonce, said) }];
      sendJson(response, 200, { jsonrpc: '2.0', id, result: { resultType: 'complete', content } });
    };
    if (mood === 'ask' && params.requestState !== nonce) {
      const requestedSchema = { type: 'object', properties: { said: { type: 'string' } } };
      const q = { method: 'elicitation/create', params: { mode: 'form', message: nonce, requestedSchema } };
      const result = { resultType: 'input_required', inputRequests: { q }, requestState: nonce };
      sendJson(response, 200, { jsonrpc: '2.0', id, result });
    } else if (mood === 'late') setTimeout(answer, LATE_MS);
    else if (mood !== 'stall') answer();
  }
}

/** What the headers say against the message, or leave out. */
function contradiction(request: IncomingMessage, method: string, name: unknown): string | undefined {
  const { headers } = request;
  if (headers['mcp-protocol-version'] !== REVISION) return 'MCP-Protocol-Version';
  if (headers['mcp-method'] !== method) return 'Mcp-Method';
  if (name !== undefined && headers['mcp-name'] !== name) return 'Mcp-Name';
  return undefined;
}

function sendJson(response: ServerResponse, status: number, message: object): void {
  const json = JSON.stringify(message);
  const length = String(Buffer.byteLength(json));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  response.end(json);
}
