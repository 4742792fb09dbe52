/**
 * The MCP endpoints of all servers: Streamable HTTP with sessions. The bridge refuses a request of the stateless revision and lists the revisions
 * that have sessions. The gateway in front of the bridge then uses one of these.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BRIDGE_TOKEN_HEADER, validateHost } from '#schemas';
import type { Bridge } from '../bridge.ts';
import {
  CONNECTION_CLOSED,
  classifyMessage,
  formatError,
  INVALID_REQUEST,
  type Message,
  PARSE_ERROR,
  toOneLine,
  UNSUPPORTED_REVISION,
} from '../message.ts';
import { UnavailableError } from '../server.ts';
import type { BridgeSession, ReceivedMessage } from '../sessions/session.ts';
import { MAX_BODY_BYTES, readBody } from './read-body.ts';

const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** @param token that every request must carry; undefined when requests need none */
export function createEndpoint(bridge: Bridge, token: string | undefined) {
  const isKnown = token === undefined ? () => true : createTokenCheck(token);
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    // Only browsers send `Origin`, and no web page may call a bridge.
    if (req.headers.origin !== undefined) return refuse(res, 403, INVALID_REQUEST, 'web pages may not call the bridge');
    if (validateHost(req.rawHeaders) !== undefined)
      return refuse(res, 400, INVALID_REQUEST, 'the request must have exactly one Host header');
    if (!isKnown(req.headers[BRIDGE_TOKEN_HEADER]))
      return refuse(res, 401, INVALID_REQUEST, `the header ${BRIDGE_TOKEN_HEADER} has no token of this bridge`);
    const [path = ''] = (req.url ?? '').split('?', 1);
    const [, key] = /^\/([^/]+\/[^/]+)\/mcp$/.exec(path) ?? [];
    if (key === undefined || !bridge.has(key))
      return refuse(
        res,
        404,
        INVALID_REQUEST,
        `the bridge serves no server at this path; it serves: ${bridge.paths().join(', ') || 'none'}`,
      );
    if (req.method === 'POST') return post(bridge, key, req, res);
    if (req.method !== 'GET' && req.method !== 'DELETE') {
      res.writeHead(405, { allow: 'GET, POST, DELETE' }).end();
      return;
    }
    const session = findSession(bridge, key, req, res);
    if (session === undefined) return;
    if (req.method === 'GET') return session.listen(res);
    await session.close('was stopped: its session was ended');
    res.writeHead(204).end();
  };
}

async function post(bridge: Bridge, key: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readBody(req);
  if (res.destroyed) return;
  if (body === undefined)
    return refuse(res, 413, INVALID_REQUEST, `the message is larger than ${MAX_BODY_BYTES} bytes`);
  const messages = parseMessages(body);
  if (messages === 'no JSON') return refuse(res, 400, PARSE_ERROR, 'the body is not JSON');
  if (messages === undefined) return refuse(res, 400, INVALID_REQUEST, 'the body is not a message of JSON-RPC 2.0');
  const [first] = messages;
  if (first?.message.method === 'initialize' && messages.length === 1) return open(bridge, key, messages, res);
  if (req.headers['mcp-session-id'] === undefined) {
    const supported = { supported: REVISIONS, requested: req.headers['mcp-protocol-version'] };
    const message = 'the bridge serves sessions: send initialize first';
    return refuse(res, 400, UNSUPPORTED_REVISION, message, first?.message.id, supported);
  }
  findSession(bridge, key, req, res, first?.message.id)?.post(messages, res);
}

async function open(
  bridge: Bridge,
  key: string,
  messages: readonly ReceivedMessage[],
  res: ServerResponse,
): Promise<void> {
  const [initialize] = messages;
  if (initialize !== undefined && bridge.adopt(key, initialize, res)) return;
  let session: BridgeSession;
  try {
    session = await bridge.open(key);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const { message, retryMs } = error;
    if (retryMs !== undefined) res.setHeader('retry-after', Math.ceil(retryMs / 1000));
    return refuse(res, 503, CONNECTION_CLOSED, `${key}: ${message}`, messages[0]?.message.id);
  }
  // Continues after the client has disconnected: the next client with the same `initialize` gets the process that is starting.
  session.post(messages, res);
}

/** The session that a request names; undefined when the request was refused. */
function findSession(
  bridge: Bridge,
  key: string,
  req: IncomingMessage,
  res: ServerResponse,
  id?: unknown,
): BridgeSession | undefined {
  const header = req.headers['mcp-session-id'];
  if (header === undefined) {
    refuse(res, 400, INVALID_REQUEST, 'the header Mcp-Session-Id is missing', id);
    return undefined;
  }
  const session = bridge.session(String(header));
  if (session?.server.name === key) return session;
  // The status 404 tells the client to open another session.
  refuse(res, 404, CONNECTION_CLOSED, 'there is no such session, or it has ended', id);
  return undefined;
}

/** One message, or a batch, which revision 2025-03-26 allows; undefined for anything that is not a message. */
function parseMessages(body: string): readonly ReceivedMessage[] | 'no JSON' | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'no JSON';
  }
  const all = Array.isArray(value) ? value : [value];
  const messages = all.flatMap((element): ReceivedMessage[] => {
    const kind = classifyMessage(element);
    if (kind === undefined) return [];
    return [{ text: element === value ? toOneLine(body) : JSON.stringify(element), message: element as Message, kind }];
  });
  return messages.length === all.length && all.length > 0 ? messages : undefined;
}

function refuse(
  res: ServerResponse,
  status: number,
  code: number,
  message: string,
  id?: unknown,
  data?: unknown,
): void {
  if (res.destroyed) return;
  const body = Buffer.from(formatError(id, code, message, data));
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

/** Compares in constant time, so that the duration reveals nothing about the token. */
function createTokenCheck(token: string): (header: string | string[] | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = digest(token);
  return header => typeof header === 'string' && timingSafeEqual(digest(header), expected);
}
