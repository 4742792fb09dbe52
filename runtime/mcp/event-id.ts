/**
 * The id of an event: the number of its stream in the session, and its place there. Clients hand it back as it is.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery
 */

/** The place of the event that ends its stream: whoever has it misses nothing. */
export const LAST = 'end';

export function eventId(stream: number, place: number | typeof LAST): string {
  return `${stream}-${place}`;
}

export interface EventPlace {
  readonly stream: number;
  readonly place: number | typeof LAST;
}

/** Where an id points to; undefined for what cannot be an id of ours. */
export function readEventId(text: string): EventPlace | undefined {
  const match = /^(\d{1,15})-(\d{1,15}|end)$/.exec(text);
  if (match === null) return undefined;
  return { stream: Number(match[1]), place: match[2] === LAST ? LAST : Number(match[2]) };
}
