/**
 * The id of an event: the name of its stream, and its position there. Clients return it unchanged. The name of a stream that answers a request
 * contains the id of that request. So if a client reconnects for an answer that the gateway no longer has, it can get an error with that id.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */
import { MAX_ID_LENGTH } from './client-limits.ts';

/** The position of the event that ends its stream: a client that has this event has the whole stream. */
export const LAST = 'end';

/** Marks the name of a stream that answers a request which only reads, so that any replica that gets the id knows that it had no effect. */
const READS = 'r';

/**
 * The name of a stream.
 * @param number unique in its session
 * @param request the id of the answered request, as JSON text; empty for the stream of a batch, undefined for a stream that a GET opened
 * @param onlyReads whether the request has no effect
 */
export function formatStreamName(number: number, request: string | undefined, onlyReads = false): string {
  const start = `${number}${onlyReads ? READS : ''}`;
  return request === undefined ? start : `${start}.${encodeRequest(request)}`;
}

/** Whether a stream answers a request that only reads. */
export function isReading(stream: string): boolean {
  return stream.split('.', 1)[0]?.endsWith(READS) === true;
}

export function formatEventId(stream: string, position: number | typeof LAST): string {
  return `${stream}-${position}`;
}

export interface EventPosition {
  /** The number of its stream. */
  readonly stream: number;
  /** As in {@link formatStreamName}. */
  readonly request: string | undefined;
  readonly onlyReads: boolean;
  readonly position: number | typeof LAST;
}

/** Three bytes of UTF-8 for each character at most, in Base64. */
const MAX_ENCODED = MAX_ID_LENGTH * 4;

const EVENT_ID = new RegExp(
  `^(\\d{1,15})(${READS}?)(?:\\.(\\d{0,${MAX_ID_LENGTH}}|~[\\w-]{1,${MAX_ENCODED}}))?-(\\d{1,15}|end)$`,
);

/** The position of an id; undefined for an id that the gateway did not create. */
export function readEventId(text: string): EventPosition | undefined {
  const match = EVENT_ID.exec(text);
  if (match === null) return undefined;
  const [, stream, mark, encoded, position] = match;
  const request = encoded === undefined || encoded === '' ? encoded : decodeText(encoded);
  if (encoded !== undefined && request === undefined) return undefined;
  return {
    stream: Number(stream),
    request,
    onlyReads: mark === READS,
    position: position === LAST ? LAST : Number(position),
  };
}

/** Encodes an id of any length and script in characters that are valid in a header: numbers unchanged, everything else as Base64. */
function encodeRequest(request: string): string {
  return request === '' || /^\d+$/.test(request) ? request : `~${Buffer.from(request).toString('base64url')}`;
}

/** Decodes the id of a request. Only JSON text of a possible id is accepted, because the gateway inserts it into a message. */
function decodeText(text: string): string | undefined {
  const request = text.startsWith('~') ? Buffer.from(text.slice(1), 'base64url').toString() : text;
  try {
    const value: unknown = JSON.parse(request);
    return typeof value === 'string' || typeof value === 'number' ? request : undefined;
  } catch {
    return undefined;
  }
}
