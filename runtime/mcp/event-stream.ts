import type { ServerResponse } from 'node:http';

/**
 * Server-sent events that carry one JSON document each.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

/** The text before the document. A client that lost its connection sends the id of its last event. */
export function formatEventStart(id: string | undefined): string {
  return id === undefined ? 'event: message\ndata: ' : `event: message\nid: ${id}\ndata: `;
}

/** The text after an event. */
export const EVENT_END = '\n\n';

/** Keeps intermediaries from closing a silent stream; clients ignore comments. */
export const HEARTBEAT = ': ping\n\n';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Begins a response that is a stream of events; `headers` are added to the usual headers. */
export function startEventStream(res: ServerResponse, headers: { readonly [name: string]: string } = {}): void {
  res.writeHead(200, {
    'Content-Type': 'text/event-stream',
    // `no-transform` and `X-Accel-Buffering` keep proxies from buffering events.
    'Cache-Control': 'no-store, no-transform',
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
}

/** One event. */
export function formatEvent(json: string, id?: string): string {
  return formatEventStart(id) + toOneLine(json) + EVENT_END;
}

/** An event without a document: it only defines an id from which the client can resume. */
export function formatEmptyEvent(id: string, retryMs?: number): string {
  return `id: ${id}\n${retryMs === undefined ? '' : retryLine(retryMs)}data: ${EVENT_END}`;
}

/**
 * The field with the time after which a client should reconnect, in milliseconds. The gateway only sends it to forward a backend's value, because
 * some clients (Java SDK 1.1) give up a stream with this field.
 */
export function retryLine(ms: number): string {
  return `retry: ${ms}\n`;
}

/** JSON text on one line. Valid JSON has raw line breaks between tokens only, where a space means the same. */
function toOneLine(json: string): string {
  return json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]/g, ' ') : json;
}

/** Does the same as `toOneLine` for a chunk of UTF-8: no byte of a multi-byte character looks like a line break. */
export function toOneLineBytes(chunk: Uint8Array): Uint8Array {
  if (!chunk.includes(LINE_FEED) && !chunk.includes(CARRIAGE_RETURN)) return chunk;
  const copy = Uint8Array.from(chunk); // Copied, because other readers may use the buffer.
  for (let at = 0; at < copy.length; at++) {
    if (copy[at] === LINE_FEED || copy[at] === CARRIAGE_RETURN) copy[at] = 0x20;
  }
  return copy;
}
