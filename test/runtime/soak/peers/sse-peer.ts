/** An HTTP+SSE server that answers each call in the way that the call names, as far as one stream allows it. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { event, MOVED_PATH, NOTICE, openEvents } from './answer-post.ts';
import { answerText, commonResult, type EchoArguments, echoText, LATE_MS, questionText, TOO_LATE_MS } from './moods.ts';
import type { Message, Peer } from './peer.ts';

/** A text that begins like a notification, but is not valid JSON. */
const UNSOUND = '{"jsonrpc":"2.0","method":"notifications/message","params":{bad}}';

interface Session {
  readonly stream: ServerResponse;
  /** Calls that wait for the client's answer, by the id of the elicitation. */
  readonly questions: Map<unknown, (said: string) => void>;
}

export class SsePeer implements Peer {
  readonly name: string;
  readonly path = '/sse';
  /** The target of `redirect-away`. */
  readonly #elsewhere: string;
  readonly #sessions = new Map<string, Session>();
  /** Calls that have been answered 404 once. */
  readonly #forgotten = new Set<string>();
  #questions = 0;

  constructor(name: string, elsewhere: string) {
    this.name = name;
    this.#elsewhere = elsewhere;
  }

  get openSessions(): number {
    return this.#sessions.size;
  }

  handle(request: IncomingMessage, response: ServerResponse, message: Message | undefined): void {
    if (request.method === 'GET') {
      this.#open(response);
      return;
    }
    const [path, query = ''] = request.url?.split('?') ?? [];
    const session = this.#sessions.get(query);
    if (session === undefined) response.writeHead(404).end();
    else if (message?.method === 'tools/call' && path !== MOVED_PATH) this.#post(response, session, { query, message });
    else {
      response.writeHead(202).end();
      if (message !== undefined) this.#message(session, message);
    }
  }

  #open(stream: ServerResponse): void {
    const id = randomUUID();
    this.#sessions.set(id, { stream, questions: new Map() });
    stream.on('close', () => this.#sessions.delete(id));
    openEvents(stream);
    stream.write(`event: endpoint\ndata: /messages?${id}\n\n`);
  }

  /** Handles a call whose POST itself has to fail. */
  #post(
    response: ServerResponse,
    session: Session,
    { query, message }: { readonly query: string; readonly message: Message },
  ): void {
    const { mood, nonce } = message.params.arguments as EchoArguments;
    const isRepetition = (mood === 'forget' || mood === 'forget-always') && this.#forgotten.delete(nonce);
    if (mood === 'refuse') response.writeHead(500).end();
    else if (mood === 'redirect') response.writeHead(307, { location: `${MOVED_PATH}?${query}` }).end();
    else if (mood === 'redirect-away') response.writeHead(307, { location: this.#elsewhere }).end();
    else if (mood === 'cut') response.destroy();
    else if (mood === 'forget-always' || (mood === 'forget' && !isRepetition)) {
      // The session of the repetition stays, so the next call is unaffected.
      if (!isRepetition) {
        this.#forgotten.add(nonce);
        this.#sessions.delete(query);
      }
      response.writeHead(404).end();
    } else {
      if (mood === 'garbage') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>not JSON</html>');
      else response.writeHead(202).end();
      this.#message(session, message);
    }
  }

  #message(session: Session, { id, method, params, result }: Message): void {
    if (method === undefined) {
      const said = session.questions.get(id);
      session.questions.delete(id);
      said?.(String(result?.content?.said));
    } else if (method === 'tools/call') this.#call(session, id, params.arguments);
    else if (id !== undefined) {
      const known = commonResult(this.name, method);
      const outcome = known === undefined ? { error: { code: -32601, message: 'no such method' } } : { result: known };
      send(session, JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
    }
  }

  #call(session: Session, id: unknown, { mood, nonce }: EchoArguments): void {
    const { stream, questions } = session;
    const answer = answerText(id, echoText(this.name, nonce));
    switch (mood) {
      case 'events':
        send(session, NOTICE, answer);
        return;
      case 'twice':
        send(session, answer, answerText(id, 'said again'));
        return;
      case 'foreign':
        send(session, answerText('of another', 'to another'), answer);
        return;
      case 'late':
        setTimeout(() => send(session, answer), LATE_MS);
        return;
      case 'too-late':
        setTimeout(() => send(session, answer), TOO_LATE_MS);
        return;
      case 'stall':
        return;
      case 'garbage-event':
        stream.write(`: a remark\n\nevent: endpoint\ndata: /elsewhere\n\nevent: strange\ndata: ${answer}\n\ndata:\n\n`);
        send(session, 'not JSON', '{', '[1]', '{}', '"text"', '{"jsonrpc":"2.0","result":{}}', UNSOUND, answer);
        return;
      case 'end-stream':
        stream.end(event(NOTICE));
        return;
      case 'cut-stream':
        stream.write(`event: message\ndata: ${answer.slice(0, answer.length / 2)}`);
        setTimeout(() => stream.destroy(), 10);
        return;
      case 'ask': {
        const question = `q${++this.#questions % 8}`;
        questions.set(question, said => send(session, answerText(id, echoText(this.name, nonce, said))));
        send(session, questionText(question, nonce));
        return;
      }
      default:
        send(session, answer);
    }
  }
}

function send({ stream }: Session, ...messages: readonly string[]): void {
  if (!stream.destroyed) stream.write(messages.map(event).join(''));
}
