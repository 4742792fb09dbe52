/**
 * W3C trace context in messages and headers.
 *
 * @see https://www.w3.org/TR/trace-context/
 * @see https://modelcontextprotocol.io/community/seps/414-request-meta
 */
import type { Envelope, Span } from './envelope.ts';
import { findMember, setMembers } from './json/members.ts';

/** The trace context of a request. */
export interface TraceContext {
  /** The value of the header of that name: version, trace, span and flags. */
  readonly traceparent: string;
  /** The values that other vendors have added. */
  readonly tracestate?: string | undefined;
}

/** A parsed `traceparent`. */
export interface ParentSpan extends TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Any hop may truncate a longer one (section 3.3.1.5); characters. */
const MAX_TRACESTATE = 512;

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;

/** Undefined for an invalid trace context, which counts as none. */
export function readTraceContext(traceparent: unknown, tracestate: unknown): ParentSpan | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  const isStateFit = typeof tracestate === 'string' && tracestate !== '' && tracestate.length <= MAX_TRACESTATE;
  return {
    traceparent: formatTraceparent(traceId, spanId, (Number.parseInt(flags, 16) & 1) === 1),
    tracestate: isStateFit ? tracestate : undefined,
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & 1) === 1,
  };
}

export function formatTraceparent(traceId: string, spanId: string, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The trace context in a message's `_meta`. */
export function readRequestTraceContext({ meta }: Envelope): ParentSpan | undefined {
  const text = meta?.content.text;
  if (text === undefined || text[0] !== '{' || !text.includes('"traceparent"')) return undefined;
  const read = (name: string): unknown => {
    const span = findMember(text, 0, name);
    return span && JSON.parse(text.slice(span.start, span.end));
  };
  return readTraceContext(read('traceparent'), read('tracestate'));
}

/**
 * The message with a trace context in its `_meta`, in place of its original one; all other characters stay unchanged.
 * @param text the message after another text has replaced `replaced`, a part of its params
 */
export function withTraceContext(envelope: Envelope, text: string, replaced: Span, trace: TraceContext): string {
  const { params, meta, text: original } = envelope;
  if (params === undefined) return text;
  if (meta === undefined) {
    const at = params.start + 1;
    return `${text.slice(0, at)}"_meta":${formatMeta(trace)},${text.slice(at)}`;
  }
  const at = meta.start > replaced.start ? meta.start + text.length - original.length : meta.start;
  return text[at] === '{' ? setMembers(text, at, toMembers(trace)) : text;
}

/** A `_meta` with a trace context, as JSON text. */
export function setTraceContext(meta: string, trace: TraceContext): string {
  return meta[0] === '{' ? setMembers(meta, 0, toMembers(trace)) : meta;
}

/** Written for each call of a client without `_meta`, so this avoids the search for members in an empty object. */
function formatMeta({ traceparent, tracestate }: TraceContext): string {
  const parent = `"traceparent":"${traceparent}"`; // The text has only digits, letters and hyphens, so nothing needs escaping.
  return tracestate === undefined ? `{${parent}}` : `{${parent},"tracestate":${JSON.stringify(tracestate)}}`;
}

function toMembers({ traceparent, tracestate }: TraceContext): ReadonlyMap<string, string> {
  const members = new Map([['traceparent', JSON.stringify(traceparent)]]);
  if (tracestate !== undefined) members.set('tracestate', JSON.stringify(tracestate));
  return members;
}

/** Headers with the trace context; names and values alternate. */
export function traceHeaders({ traceparent, tracestate }: TraceContext): readonly string[] {
  return tracestate === undefined
    ? ['traceparent', traceparent]
    : ['traceparent', traceparent, 'tracestate', tracestate];
}
