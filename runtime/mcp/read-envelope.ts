import { detachString } from '../tuning/detach-string.ts';
import { MAX_ID_LENGTH } from './client-limits.ts';
import { Envelope, type ReferenceMember, type RequestMeta, type StringMember } from './envelope.ts';
import { CLOSE_BRACE, COMMA, MINUS, OPEN_BRACE, OPEN_BRACKET, QUOTE, skipSpace } from './json/characters.ts';
import { BIT, decodeNameAt, decodeString, getNameBit, WRONG_CASE } from './json/member-names.ts';
import { checkDepth, createSyntaxError, skipName, skipValue } from './json/scan-text.ts';
import { META } from './meta-keys.ts';
import { isNotification, NOTIFICATION_PREFIX } from './notifications.ts';
import { LONGEST_META, RecentMetas } from './recent-metas.ts';
import { WIRE_CODE, WireError } from './wire-error.ts';

/**
 * Reads one JSON-RPC message in one pass over its text.
 *
 * Members that routing or policies depend on may occur only once and only in their exact spelling. Parsers treat duplicates differently,
 * and some (Go's `encoding/json`) ignore the case of names: a server that reads another value than this gateway could be used to bypass its
 * decisions. For the same reason, only a notification of MCP may have no id.
 *
 * @throws WireError -32700 for text that is not JSON, -32600 for JSON that is not one message, -32602 for params that are not an object.
 *   Its `id` is set when the id could be read.
 * @see https://www.jsonrpc.org/specification
 */
export function readEnvelope(text: string): Envelope {
  const draft = new Draft(text);
  const start = skipSpace(text, 0);
  const isObject = text.charCodeAt(start) === OPEN_BRACE;
  const end = skipSpace(text, isObject ? walk(draft, start, 0, IN_MESSAGE, visitMessage) : skipValue(text, start, 0));
  if (end !== text.length) throw createSyntaxError(end);
  if (!isObject) {
    const isBatch = text.charCodeAt(start) === OPEN_BRACKET;
    throw new WireError(
      WIRE_CODE.invalidRequest,
      isBatch ? 'batches are not supported' : 'a message must be a JSON object',
    );
  }
  return finish(draft);
}

/** Reads any text with {@link readEnvelope}. Undefined if the text is not exactly one valid message. */
export function parseSoundMessage(text: string): Envelope | undefined {
  try {
    return readEnvelope(text);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

const IN_MESSAGE = BIT.jsonrpc | BIT.id | BIT.method | BIT.params | BIT.result | BIT.error;
const IN_PARAMS =
  BIT.name |
  BIT.uri |
  BIT.cursor |
  BIT.arguments |
  BIT.ref |
  BIT.requestId |
  BIT._meta |
  BIT.task |
  BIT.taskId |
  BIT.requestState;
const IN_REF = BIT.type | BIT.name | BIT.uri;
const PROTOCOL_VERSION = BIT[META.protocolVersion];
const CLIENT_CAPABILITIES = BIT[META.clientCapabilities];
const CLIENT_INFO = BIT[META.clientInfo];
const LOG_LEVEL = BIT[META.logLevel];
const SUBSCRIPTION_ID = BIT[META.subscriptionId];
const IN_META = PROTOCOL_VERSION | CLIENT_CAPABILITIES | CLIENT_INFO | LOG_LEVEL | SUBSCRIPTION_ID;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The message so far. The first violation is only reported when the whole text is known to be JSON, because a parse error takes precedence. */
class Draft {
  readonly text: string;
  readonly envelope: Writable<Envelope>;
  ref: Writable<ReferenceMember> | undefined = undefined;
  meta: Writable<RequestMeta> | undefined = undefined;
  /** The start of `_meta`. */
  metaStart = 0;
  /** The number of members that were skipped. */
  skipped = 0;
  violation: string | undefined = undefined;
  version: string | undefined = undefined;
  hasParams = false;
  hasMethod = false;
  method: string | undefined = undefined;
  /** The number of `result` and `error` members. */
  outcomes = 0;

  constructor(text: string) {
    this.text = text;
    this.envelope = new Envelope(text);
  }
}

/** Reads the value of the member `bit` at `at`; returns the position after it. */
type Visit = (draft: Draft, bit: number, at: number, depth: number) => number;

/** Iterates over the members of the object at `start`: visits those in `looked`, and skips others. */
function walk(draft: Draft, start: number, depth: number, looked: number, visit: Visit): number {
  const { text } = draft;
  checkDepth(depth);
  let seen = 0;
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_BRACE) return at + 1;
  for (;;) {
    const value = skipName(text, at);
    const bit = getNameBit(text, at, value, looked);
    if (bit === WRONG_CASE) draft.violation ??= `member "${decodeNameAt(text, at, value)}" has the wrong case`;
    if ((bit & looked) === 0) {
      draft.skipped++;
      at = skipValue(text, value, depth + 1);
    } else {
      if ((seen & bit) !== 0) draft.violation ??= `duplicate member "${decodeNameAt(text, at, value)}"`;
      seen |= bit;
      at = visit(draft, bit, value, depth + 1);
    }
    at = skipSpace(text, at);
    const c = text.charCodeAt(at);
    if (c === CLOSE_BRACE) return at + 1;
    if (c !== COMMA) throw createSyntaxError(at);
    at = skipSpace(text, at + 1);
  }
}

function readString(text: string, at: number, end: number): StringMember | undefined {
  if (text.charCodeAt(at) !== QUOTE) return undefined;
  return { value: decodeString(text, at, end), start: at, end };
}

function visitMessage(draft: Draft, bit: number, at: number, depth: number): number {
  const { text, envelope } = draft;
  if (bit === BIT.params && text.charCodeAt(at) === OPEN_BRACE) {
    const end = walk(draft, at, depth, IN_PARAMS, visitParams);
    draft.hasParams = true;
    envelope.params = { start: at, end };
    return end;
  }
  const end = skipValue(text, at, depth);
  switch (bit) {
    case BIT.jsonrpc:
      draft.version = readString(text, at, end)?.value;
      break;
    case BIT.id:
      readId(draft, at, end);
      break;
    case BIT.method:
      draft.hasMethod = true;
      draft.method = readMethod(text, at, end);
      break;
    case BIT.params:
      draft.hasParams = true;
      break;
    default:
      draft.outcomes++;
  }
  return end;
}

/** Nearly all messages are tool calls. They share this string, so that V8 computes its hash only once. */
const CALL = 'tools/call';

function readMethod(text: string, at: number, end: number): string | undefined {
  const method = readString(text, at, end)?.value;
  return method === CALL ? CALL : method;
}

function visitParams(draft: Draft, bit: number, at: number, depth: number): number {
  const { text, envelope } = draft;
  if (bit === BIT.ref && text.charCodeAt(at) === OPEN_BRACE) {
    draft.ref = { start: at, end: at, type: undefined, name: undefined, uri: undefined };
    draft.ref.end = walk(draft, at, depth, IN_REF, visitRef);
    envelope.ref = draft.ref;
    return draft.ref.end;
  }
  if (bit === BIT._meta) return readMeta(draft, at, depth);
  const end = skipValue(text, at, depth);
  switch (bit) {
    case BIT.name:
      envelope.name = readString(text, at, end);
      break;
    case BIT.uri:
      envelope.uri = readString(text, at, end);
      break;
    case BIT.cursor:
      envelope.cursor = readString(text, at, end) ?? { value: undefined, start: at, end };
      break;
    case BIT.arguments:
      envelope.arguments = { start: at, end };
      break;
    case BIT.requestId:
      envelope.requestId = text.slice(at, end);
      break;
    case BIT.task:
      envelope.task = { start: at, end };
      break;
    case BIT.taskId:
      envelope.taskId = readString(text, at, end);
      break;
    case BIT.requestState:
      envelope.requestState = { start: at, end };
      break;
  }
  return end;
}

function visitRef(draft: Draft, bit: number, at: number, depth: number): number {
  const end = skipValue(draft.text, at, depth);
  const value = readString(draft.text, at, end);
  const ref = draft.ref as Writable<ReferenceMember>; // Set before the members of the object are visited.
  if (bit === BIT.type) ref.type = value;
  else if (bit === BIT.name) ref.name = value;
  else ref.uri = value;
  return end;
}

/** Parsed `_meta` objects of recent messages. `_meta` is always at the same depth, so equal text need not be checked again. */
const recentMetas = new RecentMetas();

function readMeta(draft: Draft, start: number, depth: number): number {
  const { text, envelope } = draft;
  const content = recentMetas.findAt(text, start) ?? createMeta(draft, start, depth);
  const end = start + content.text.length;
  envelope.meta = { start, end, content };
  return end;
}

function createMeta(draft: Draft, start: number, depth: number): RequestMeta {
  const meta = walkMeta(draft, start, depth);
  // An object with more members (a progress token) probably differs each time.
  if (draft.violation !== undefined || meta.hasMore || meta.text.length > LONGEST_META) return meta;
  const own = walkMeta(new Draft(detachString(meta.text)), 0, depth);
  recentMetas.add(own);
  return own;
}

function walkMeta(draft: Draft, start: number, depth: number): RequestMeta {
  const { text } = draft;
  const meta: Writable<RequestMeta> = {
    text: '',
    protocolVersion: undefined,
    clientCapabilities: undefined,
    clientInfo: undefined,
    logLevel: undefined,
    subscriptionId: undefined,
    hasMore: false,
  };
  draft.meta = meta;
  draft.metaStart = start;
  const skippedBefore = draft.skipped;
  const isObject = text.charCodeAt(start) === OPEN_BRACE;
  const end = isObject ? walk(draft, start, depth, IN_META, visitMeta) : skipValue(text, start, depth);
  meta.text = text.slice(start, end);
  meta.hasMore = !isObject || draft.skipped > skippedBefore || meta.subscriptionId !== undefined;
  return meta;
}

function visitMeta(draft: Draft, bit: number, at: number, depth: number): number {
  const { text } = draft;
  const end = skipValue(text, at, depth);
  const meta = draft.meta as Writable<RequestMeta>; // Set before the members of the object are visited.
  switch (bit) {
    case PROTOCOL_VERSION:
      meta.protocolVersion = readString(text, at, end)?.value;
      break;
    case CLIENT_CAPABILITIES:
      meta.clientCapabilities = text.slice(at, end);
      break;
    case CLIENT_INFO:
      meta.clientInfo = text.slice(at, end);
      break;
    case LOG_LEVEL:
      meta.logLevel = text.slice(at, end);
      break;
    case SUBSCRIPTION_ID:
      meta.subscriptionId = { start: at - draft.metaStart, end: end - draft.metaStart };
      break;
  }
  return end;
}

/** MCP restricts JSON-RPC here: an id is a string or an integer, never null. */
function readId(draft: Draft, start: number, end: number): void {
  if (draft.text.charCodeAt(start) === QUOTE || isInteger(draft.text, start, end)) {
    draft.envelope.id = draft.text.slice(start, end);
    draft.envelope.idSpan = { start, end };
    if (end - start > MAX_ID_LENGTH) draft.violation ??= `id must not be longer than ${MAX_ID_LENGTH} characters`;
  } else {
    draft.violation ??= 'id must be a string or an integer';
  }
}

/** Whether a JSON value is an integer: only integers consist of digits and a sign alone. */
function isInteger(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const c = text.charCodeAt(at);
    if (c !== MINUS && !(c >= 0x30 && c <= 0x39)) return false;
  }
  return true;
}

function finish(draft: Draft): Envelope {
  const { envelope } = draft;
  const violation = draft.violation ?? findProblem(draft);
  if (violation !== undefined) throw new WireError(WIRE_CODE.invalidRequest, violation).withId(envelope.id);
  if (draft.method === undefined) {
    envelope.kind = 'response';
    return envelope;
  }
  if (draft.hasParams && envelope.params === undefined) {
    throw new WireError(WIRE_CODE.invalidParams, 'params must be an object').withId(envelope.id);
  }
  envelope.kind = envelope.id === undefined ? 'notification' : 'request';
  envelope.method = draft.method;
  return envelope;
}

function findProblem(draft: Draft): string | undefined {
  if (draft.version !== '2.0') return 'jsonrpc must be "2.0"';
  if (draft.hasMethod) {
    if (draft.method === undefined) return 'method must be a string';
    if (draft.envelope.id === undefined && !isNotification(draft.method)) {
      return `a request needs an id; only ${NOTIFICATION_PREFIX}… go without one`;
    }
    return draft.outcomes === 0 ? undefined : 'a message has either a method or an outcome, not both';
  }
  if (draft.outcomes === 0) return 'a message needs a method, a result or an error';
  if (draft.outcomes > 1) return 'a response has either a result or an error, not both';
  return draft.envelope.id === undefined ? 'a response needs an id' : undefined;
}
