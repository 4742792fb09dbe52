/** The common parts of both hand-written peers: an HTTP server, bodies, and pages with the number of open sessions and calls. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenOnOwnPort } from '../../../support/own-port.ts';

/** A JSON-RPC message as peers read it. */
export interface Message {
  readonly id?: unknown;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: of any shape
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: of any shape
  readonly result?: any;
}

export interface Peer {
  readonly name: string;
  /** The path of its MCP endpoint. */
  readonly path: string;
  readonly openSessions: number;
  handle(request: IncomingMessage, response: ServerResponse, message: Message | undefined): void;
}

/** The path at which a peer reports the number of its open sessions. */
export const SESSIONS_PATH = '/sessions';

/** The path at which a peer reports the number of tool calls that it has received. */
export const CALLS_PATH = '/calls';

/** Serves a peer on a loopback port; resolves with its origin. */
export async function servePeer(peer: Peer, port: number): Promise<string> {
  let calls = 0;
  const http: Server = createServer((request, response) => {
    if (request.url === SESSIONS_PATH || request.url === CALLS_PATH) {
      response.end(String(request.url === CALLS_PATH ? calls : peer.openSessions));
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const message = body === '' ? undefined : (JSON.parse(body) as Message);
      if (message?.method === 'tools/call') calls++;
      peer.handle(request, response, message);
    });
  });
  await listenOnOwnPort(http, port);
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
