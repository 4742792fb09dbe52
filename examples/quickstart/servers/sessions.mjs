/** The sessions of an MCP server: one `McpServer` and one transport for each client that sent `initialize`. */
import { randomUUID } from 'node:crypto';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

/** Maximum number of sessions. A further session ends the oldest one, whose client then opens a new session. */
const MAX_SESSIONS = 100;

/** @typedef {import('@modelcontextprotocol/sdk/server/mcp.js').McpServer} McpServer */

export class Sessions {
  /** Sessions by id, oldest first. */
  #byId = /** @type {Map<string, { server: McpServer, transport: StreamableHTTPServerTransport }>} */ (new Map());
  #createServer;

  /** @param {() => McpServer} createServer */
  constructor(createServer) {
    this.#createServer = createServer;
  }

  /** The servers of all sessions, to notify every client. */
  get servers() {
    return [...this.#byId.values()].map(session => session.server);
  }

  /**
   * @param {import('node:http').IncomingMessage} req
   * @param {import('node:http').ServerResponse} res
   */
  async handle(req, res) {
    const id = req.headers['mcp-session-id'];
    if (id === undefined) return this.#begin(req, res);
    const session = this.#byId.get(String(id));
    // A client that gets 404 for its session id opens a new session.
    if (session === undefined) return notFound(res);
    return session.transport.handleRequest(req, res);
  }

  async #begin(req, res) {
    const server = this.#createServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => this.#keep(id, { server, transport }),
    });
    transport.onclose = () => this.#byId.delete(transport.sessionId ?? '');
    await server.connect(transport);
    await transport.handleRequest(req, res);
    // Without a session id, the transport refused the request, because it was not `initialize`.
    if (transport.sessionId === undefined) await server.close();
  }

  #keep(id, session) {
    this.#byId.set(id, session);
    const [oldest] = this.#byId.values();
    if (this.#byId.size > MAX_SESSIONS) void oldest.server.close();
  }
}

function notFound(res) {
  const body = { jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null };
  res.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
