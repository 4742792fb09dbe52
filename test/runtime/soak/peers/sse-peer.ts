/** A server over HTTP+SSE that does to each call what the call says, as far as there is such a thing on one stream. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerText, commonResult, type EchoArguments, echoText, LATE_MS, TOO_LATE_MS } from './moods.ts';
import type { Message, Peer } from './peer.ts';

export class SsePeer implements Peer {
  readonly name: string;
  readonly path = '/sse';
  readonly #streams = new Map<string, ServerResponse>();

  constructor(name: string) {
    this.name = name;
  }

  get openSessions(): number {
    return this.#streams.size;
  }

  handle(request: IncomingMessage, response: ServerResponse, message: Message | undefined): void {
    if (request.method === 'GET') {
      this.#open(response);
      return;
    }
    const stream = this.#streams.get(String(request.url?.split('?')[1]));
    if (stream === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(202).end();
    if (message?.id === undefined || message.method === undefined) return;
    if (message.method === 'tools/call') this.#call(stream, message);
    else {
      const result = commonResult(this.name, message.method);
      const outcome = result === undefined ? { error: { code: -32601, message: 'no such method' } } : { result };
      send(stream, JSON.stringify({ jsonrpc: '2.0', id: message.id, ...outcome }));
    }
  }

  #open(stream: ServerResponse): void {
    const id = randomUUID();
    this.#streams.set(id, stream);
    stream.on('close', () => this.#streams.delete(id));
    stream.writeHead(200, { 'content-type': 'text/event-stream' });
    stream.write(`event: endpoint\ndata: /messages?${id}\n\n`);
  }

  #call(stream: ServerResponse, { id, params }: Message): void {
    const { mood, nonce } = params.arguments as EchoArguments;
    const answer = answerText(id, echoText(this.name, nonce));
    if (mood === 'late') setTimeout(() => send(stream, answer), LATE_MS);
    else if (mood === 'too-late') setTimeout(() => send(stream, answer), TOO_LATE_MS);
    else if (mood !== 'stall') send(stream, answer);
  }
}

function send(stream: ServerResponse, json: string): void {
  if (!stream.destroyed) stream.write(`event: message\ndata: ${json}\n\n`);
}
