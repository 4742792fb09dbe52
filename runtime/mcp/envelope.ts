/** A range of characters of the message: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A member whose value is a string. The span covers the value with its quotes. */
export interface StringMember extends Span {
  readonly value: string;
}

/** `params.cursor` of a list. */
export interface CursorMember extends Span {
  /** Undefined when the value is not a string, and therefore not a cursor of the gateway. */
  readonly value: string | undefined;
}

/** `params.ref` of `completion/complete`: the prompt or resource template to complete. */
export interface ReferenceMember extends Span {
  readonly type: StringMember | undefined;
  readonly name: StringMember | undefined;
  readonly uri: StringMember | undefined;
}

/** `params._meta`; it may have any type. */
export interface MetaMember extends Span {
  readonly content: RequestMeta;
}

/**
 * The members of `_meta` of a request of the stateless revision, as JSON text of any type unless noted otherwise. Messages with equal members
 * may share an object, which then retains nothing of the message that it was read from.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#meta
 */
export interface RequestMeta {
  /** The whole `_meta` as JSON text. */
  readonly text: string;
  /** The decoded protocol version; undefined if it is missing or not a string. */
  readonly protocolVersion: string | undefined;
  readonly clientCapabilities: string | undefined;
  readonly clientInfo: string | undefined;
  readonly logLevel: string | undefined;
  /** The position in `text` of the subscription id of a server's notification. */
  readonly subscriptionId: Span | undefined;
  /** Whether `_meta` has further members, such as a progress token. */
  readonly hasMore: boolean;
}

/**
 * One JSON-RPC message: the members that a router needs, and their positions in the original text. The text is never re-serialised, so that a
 * splice preserves big integers, key order, unknown members and escapes.
 */
export class Envelope {
  /** The whole message as JSON text. */
  readonly text: string;
  /** A notification is one of MCP's: its method begins with `notifications/`. */
  readonly kind: 'request' | 'notification' | 'response' = 'request';
  /** The id as JSON text (`7` or `"a"`); undefined for a notification. */
  readonly id: string | undefined = undefined;
  readonly idSpan: Span | undefined = undefined;
  /** Empty for a response. */
  readonly method: string = '';
  readonly params: Span | undefined = undefined;
  /** `params.name`, when it is a string. */
  readonly name: StringMember | undefined = undefined;
  /** `params.uri`, when it is a string. */
  readonly uri: StringMember | undefined = undefined;
  /** `params.cursor`; it may have any type. */
  readonly cursor: CursorMember | undefined = undefined;
  /** `params.arguments`; it may have any type. */
  readonly arguments: Span | undefined = undefined;
  /** `params.ref`, when it is an object. */
  readonly ref: ReferenceMember | undefined = undefined;
  readonly meta: MetaMember | undefined = undefined;
  /** `params.requestId` (of `notifications/cancelled`) as JSON text; it may have any type. */
  readonly requestId: string | undefined = undefined;
  /** `params.task`, of any type: the client requests a task. */
  readonly task: Span | undefined = undefined;
  /** `params.taskId`, when it is a string. */
  readonly taskId: StringMember | undefined = undefined;
  /** `params.requestState`, of any type: the request was answered with `input_required` before. */
  readonly requestState: Span | undefined = undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The parsed params, or undefined without any. For slow paths: it parses again on each call. */
  paramsValue(): unknown {
    return this.params === undefined ? undefined : this.valueAt(this.params);
  }

  /** The parsed value at a span; for slow paths as well. */
  valueAt(span: Span): unknown {
    return JSON.parse(this.text.slice(span.start, span.end));
  }
}

/** The params as JSON text, or undefined without any. */
export function readParams({ text, params }: Envelope): string | undefined {
  return params && text.slice(params.start, params.end);
}

/** The message with the JSON text `json` in place of a span. */
export function splice(envelope: Envelope, span: Span, json: string): string {
  return envelope.text.slice(0, span.start) + json + envelope.text.slice(span.end);
}

/** The message with another string as the value of a string member; all other characters stay unchanged. */
export function spliceString(envelope: Envelope, member: StringMember, newValue: string): string {
  return splice(envelope, member, JSON.stringify(newValue));
}

/** A key that is the same for all spellings of an id: `"a"` and `"\u0061"` are the same id. */
export function formatIdKey(id: string): string {
  return id.includes('\\') ? JSON.stringify(JSON.parse(id)) : id;
}
