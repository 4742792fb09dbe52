/**
 * The id of an event: the name of its stream, and its place there. Clients hand it back as it is.
 *
 * The name of a stream that answers a request holds the id of that request: a client that comes back for an answer of which
 * nothing is known any more can then be told so, under the id that it waits for.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */

/** The place of the event that ends its stream: whoever has it misses nothing. */
export const LAST = 'end';

/** Ceiling on the id of a request in the name of a stream, in characters. It goes out with every event. */
const MAX_REQUEST_ID = 256;

/**
 * The name of a stream.
 * @param number Unique in its session.
 * @param request The id of the request that it answers, as JSON text; empty for one that answers several, undefined for a standing one.
 */
export function streamName(number: number, request: string | undefined): string {
  return request === undefined ? String(number) : `${number}.${encoded(request)}`;
}

export function eventId(stream: string, place: number | typeof LAST): string {
  return `${stream}-${place}`;
}

export interface EventPlace {
  /** The number of its stream. */
  readonly stream: number;
  /** As in {@link streamName}; empty also where the id of the request is too long to be in it. */
  readonly request: string | undefined;
  readonly place: number | typeof LAST;
}

/** Where an id points to; undefined for what cannot be an id of ours. */
export function readEventId(text: string): EventPlace | undefined {
  const match = /^(\d{1,15})(?:\.([\w.%!~*'()-]{0,256}))?-(\d{1,15}|end)$/.exec(text);
  if (match === null) return undefined;
  const request = match[2] === undefined || match[2] === '' ? match[2] : decoded(match[2]);
  if (match[2] !== undefined && request === undefined) return undefined;
  return { stream: Number(match[1]), request, place: match[3] === LAST ? LAST : Number(match[3]) };
}

/** In characters that a header may have. */
function encoded(request: string): string {
  if (/^\d{1,12}$/.test(request)) return request;
  if (request.length > MAX_REQUEST_ID || !request.isWellFormed()) return '';
  const text = encodeURIComponent(request);
  return text.length > MAX_REQUEST_ID ? '' : text;
}

/** JSON text that may be the id of a request, and nothing else: it goes into a message of ours. */
function decoded(text: string): string | undefined {
  try {
    const request = decodeURIComponent(text);
    const value: unknown = JSON.parse(request);
    return typeof value === 'string' || typeof value === 'number' ? request : undefined;
  } catch {
    return undefined;
  }
}
