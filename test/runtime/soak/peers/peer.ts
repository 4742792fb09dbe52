/** What both hand-written peers have in common: an HTTP server, bodies, and a page that tells how many sessions are open. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenOnOwnPort } from '../../../support/own-port.ts';

/** A JSON-RPC message as peers look at it. */
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

/** Where a peer tells how many sessions it has open. */
export const SESSIONS_PATH = '/sessions';

/** Serves a peer on a loopback port; resolves with its origin. */
export async function servePeer(peer: Peer, port: number): Promise<string> {
  const http: Server = createServer((request, response) => {
    if (request.url === SESSIONS_PATH) {
      response.end(String(peer.openSessions));
      return;
    }
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => peer.handle(request, response, body === '' ? undefined : (JSON.parse(body) as Message)));
  });
  await listenOnOwnPort(http, port);
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
