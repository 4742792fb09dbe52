/** A Streamable HTTP server that answers each call in the way that the call names. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerPost, event, MOVED_PATH, NOTICE, openEvents, sendJson } from './answer-post.ts';
import { answerText, commonResult, type EchoArguments, echoText, questionText } from './moods.ts';
import type { Message, Peer } from './peer.ts';

type SaidTo = (said: string) => void;

export class StreamablePeer implements Peer {
  readonly name: string;
  readonly path = '/mcp';
  /** The target of `redirect-away`. */
  readonly #elsewhere: string;
  /** By session id: the pending elicitations, by their ids. */
  readonly #sessions = new Map<string, Map<string, SaidTo>>();
  /** Calls that have been answered 404 once. */
  readonly #forgotten = new Set<string>();
  /** Responses that wait to be fetched, by the event before them. */
  readonly #unfetched = new Map<string, string>();
  #questions = 0;

  constructor(name: string, elsewhere: string) {
    this.name = name;
    this.#elsewhere = elsewhere;
  }

  get openSessions(): number {
    return this.#sessions.size;
  }

  handle(request: IncomingMessage, response: ServerResponse, message: Message | undefined): void {
    const sessionId = String(request.headers['mcp-session-id']);
    const questions = this.#sessions.get(sessionId);
    if (request.method === 'GET') {
      this.#get(request, response);
    } else if (request.method === 'DELETE') {
      this.#sessions.delete(sessionId);
      response.writeHead(204).end();
    } else if (message?.method === 'initialize') {
      const id = randomUUID();
      this.#sessions.set(id, new Map());
      sendJson(response, this.#commonAnswer(message), { 'mcp-session-id': id });
    } else if (questions === undefined) {
      response.writeHead(404).end();
    } else if (message === undefined || message.id === undefined) {
      response.writeHead(202).end();
    } else if (message.method === undefined) {
      const said = questions.get(String(message.id));
      questions.delete(String(message.id));
      response.writeHead(202).end();
      said?.(String(message.result?.content?.said));
    } else if (message.method !== 'tools/call') {
      sendJson(response, this.#commonAnswer(message));
    } else if (request.url === MOVED_PATH) {
      this.#answer(response, message, message.params.arguments);
    } else {
      this.#call(response, message, { sessionId, questions });
    }
  }

  /** Answers a GET: with the rest of a lost stream, because there is no notification stream. */
  #get(request: IncomingMessage, response: ServerResponse): void {
    const eventId = String(request.headers['last-event-id']);
    const answer = this.#unfetched.get(eventId);
    this.#unfetched.delete(eventId);
    if (answer === undefined) {
      response.writeHead(405).end();
      return;
    }
    openEvents(response);
    response.end(event(answer));
  }

  #call(
    response: ServerResponse,
    message: Message,
    session: { readonly sessionId: string; readonly questions: Map<string, SaidTo> },
  ): void {
    const echo = message.params.arguments as EchoArguments;
    const answer = answerText(message.id, echoText(this.name, echo.nonce));
    switch (echo.mood) {
      case 'resume': {
        const eventId = randomUUID();
        this.#unfetched.set(eventId, answer);
        openEvents(response);
        response.write(`id: ${eventId}\nretry: 20\n${event(NOTICE)}`);
        setTimeout(() => response.destroy(), 10);
        return;
      }
      case 'forget':
      case 'forget-always': {
        const isRepetition = this.#forgotten.delete(echo.nonce);
        if (isRepetition && echo.mood === 'forget') {
          this.#answer(response, message, echo);
          return;
        }
        // The session of the repetition stays, so the next call is unaffected.
        if (!isRepetition) {
          this.#forgotten.add(echo.nonce);
          this.#sessions.delete(session.sessionId);
        }
        response.writeHead(404).end();
        return;
      }
      case 'ask': {
        // The same ids in every session, so only the session distinguishes them.
        const id = `q${++this.#questions % 8}`;
        session.questions.set(id, said => {
          response.end(event(answerText(message.id, echoText(this.name, echo.nonce, said))));
        });
        openEvents(response);
        response.write(event(questionText(id, echo.nonce)));
        return;
      }
      default:
        answerPost(response, echo.mood, {
          answer,
          again: answerText(message.id, 'said again'),
          foreign: answerText('of another', 'to another'),
          elsewhere: this.#elsewhere,
        });
    }
  }

  #answer(response: ServerResponse, message: Message, { nonce }: EchoArguments): void {
    sendJson(response, answerText(message.id, echoText(this.name, nonce)));
  }

  #commonAnswer({ id, method = '' }: Message): string {
    const result = commonResult(this.name, method);
    const unknown = { code: -32601, message: `no method ${method}` };
    return JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error: unknown } : { result }) });
  }
}
