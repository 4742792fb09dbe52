/**
 * Content negotiation for the two media types of MCP: JSON and event streams.
 * @see RFC 9110 sections 8.3.1 and 12.5.1
 */

/** Which of the two media types the client accepts. */
export interface Accepts {
  readonly json: boolean;
  readonly eventStream: boolean;
}

const BOTH: Accepts = { json: true, eventStream: true };

/** Reads an Accept header; without one, the client accepts everything. A preference (`q`) matters only when it is zero. */
export function readAccept(header: string | undefined): Accepts {
  if (header === undefined || header === 'application/json, text/event-stream') return BOTH;
  const ranges = header.toLowerCase().split(',').map(readRange);
  return { json: accepts(ranges, 'application', 'json'), eventStream: accepts(ranges, 'text', 'event-stream') };
}

/** Whether a Content-Type names JSON, with or without parameters. */
export function isJson(header: string | undefined): boolean {
  return header === 'application/json' || header?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

interface MediaRange {
  readonly type: string;
  readonly refused: boolean;
}

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim());
  return { type, refused: parameters.some(parameter => /^q\s*=\s*0(\.0*)?$/.test(parameter)) };
}

/** The most specific matching range decides. */
function accepts(ranges: readonly MediaRange[], type: string, subtype: string): boolean {
  for (const candidate of [`${type}/${subtype}`, `${type}/*`, '*/*']) {
    const range = ranges.find(r => r.type === candidate);
    if (range !== undefined) return !range.refused;
  }
  return false;
}
