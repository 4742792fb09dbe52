/** The possible responses to a call in its own POST, in every revision. */
import type { ServerResponse } from 'node:http';
import { LATE_MS, type Mood, TOO_LATE_MS } from './moods.ts';

/** The target of `redirect`. */
export const MOVED_PATH = '/moved';

export const NOTICE = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"at work"}}';

/** The texts of the responses, as JSON. */
export interface PostAnswers {
  readonly answer: string;
  /** Another response to the same call. */
  readonly again: string;
  /** A response without a request. */
  readonly foreign: string;
  /** The target of `redirect-away`. */
  readonly elsewhere: string;
}

/** Answers a call in its mood. Moods that need a session are unknown here and answer like `plain`. */
export function answerPost(response: ServerResponse, mood: Mood, said: PostAnswers): void {
  const { answer } = said;
  switch (mood) {
    case 'events':
      openEvents(response);
      response.end(event(NOTICE) + event(answer));
      return;
    case 'twice':
      openEvents(response);
      response.end(event(answer) + event(said.again));
      return;
    case 'foreign':
      openEvents(response);
      response.end(event(said.foreign) + event(answer));
      return;
    case 'late':
      setTimeout(() => sendJson(response, answer), LATE_MS);
      return;
    case 'too-late':
      setTimeout(() => sendJson(response, answer), TOO_LATE_MS);
      return;
    case 'stall':
      return;
    case 'garbage':
      sendJson(response, '<html>not JSON</html>');
      return;
    case 'garbage-event':
      openEvents(response);
      response.end(event('not JSON'));
      return;
    case 'end-stream':
      openEvents(response);
      response.end(event(NOTICE));
      return;
    case 'cut':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(answer.slice(0, answer.length / 2));
      setTimeout(() => response.destroy(), 10);
      return;
    case 'cut-stream':
      openEvents(response);
      response.write(event(NOTICE));
      setTimeout(() => response.destroy(), 10);
      return;
    case 'refuse':
      response.writeHead(500).end();
      return;
    case 'forget-always':
      response.writeHead(404).end();
      return;
    case 'redirect':
      response.writeHead(307, { location: MOVED_PATH }).end();
      return;
    case 'redirect-away':
      response.writeHead(307, { location: said.elsewhere }).end();
      return;
    default:
      sendJson(response, answer);
  }
}

export function sendJson(
  response: ServerResponse,
  json: string,
  headers: Record<string, string> = {},
  status = 200,
): void {
  const length = String(Buffer.byteLength(json));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers });
  response.end(json);
}

export function openEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

export function event(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
