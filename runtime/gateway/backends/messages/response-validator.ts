/**
 * Checks that a backend's body is the answer to its request: one JSON-RPC response with the request's id. Clients match answers to requests by
 * id alone, so that a client would treat a response with another id as the answer to another request, perhaps to another backend; and a request
 * or notification would reach the client without its checks. Parsers differ about duplicate names and about case, so such a response is invalid.
 */
import { formatIdKey } from '../../../mcp/envelope.ts';
import { CLOSE_BRACE, COMMA, OPEN_BRACE, QUOTE, skipSpace } from '../../../mcp/json/characters.ts';
import { findValueEnd, isTextAt } from '../../../mcp/json/scan-bytes.ts';
import { READ, ResponseScanner } from './response-scanner.ts';

/** The violation of an answer. The text completes "the backend …". */
export type ResponseViolation = typeof FOREIGN | typeof NO_RESPONSE;

const FOREIGN = 'answered another request';
const NO_RESPONSE = 'answered with something other than a JSON-RPC response';

/** The violation of a complete answer to the request `id` (JSON text); undefined when there is none. */
export function validateResponse(json: Buffer, id: string): ResponseViolation | undefined {
  if (isCommonResponse(json, id)) return undefined;
  const answer = new ResponseValidator(id);
  return answer.push(json) ? answer.violationAtEnd : answer.violation;
}

/** Does the same as `validateResponse` for an answer in chunks. */
export class ResponseValidator {
  private readonly _key: string;
  private readonly _reader: ResponseScanner = new ResponseScanner();
  private _hasId = false;
  private _hasResult = false;
  private _hasError = false;
  private _isComplete = false;
  private _isFlawed = false;
  private _mayLackId = true;
  /** The violation, once `push` has returned false. */
  violation: ResponseViolation = NO_RESPONSE;

  /** @param id the request's id as JSON text */
  constructor(id: string) {
    this._key = formatIdKey(id);
  }

  /** Reads the next chunk. Returns false as soon as the text cannot be the beginning of the answer, and from then on. */
  push(chunk: Uint8Array): boolean {
    if (!this._isFlawed) this._isFlawed = !this._read(chunk);
    return !this._isFlawed;
  }

  private _read(chunk: Uint8Array): boolean {
    const reader = this._reader;
    reader.push(chunk);
    for (;;) {
      switch (reader.next()) {
        case READ.chunk:
          return true;
        case READ.violation:
          this._mayLackId = false;
          return false;
        case READ.name:
          if (!reader.isInResult && !this._mayFollow(reader.name)) return false;
          break;
        case READ.member:
          if (!reader.isInResult && reader.name === 'id' && !this._isOwn(reader.id)) return false;
          break;
        case READ.message:
          this._isComplete = this._hasId && (this._hasResult || this._hasError);
          if (!this._isComplete) return false;
      }
    }
  }

  /** Whether the text may be an error without an id, or with the id null, even if `push` has returned false: such an error names no request. */
  get mayLackId(): boolean {
    return this._mayLackId;
  }

  /** The violation if the text ends here. */
  get violationAtEnd(): ResponseViolation | undefined {
    return this._isComplete ? undefined : NO_RESPONSE;
  }

  /** Whether a top-level member may follow. Known names may occur once; `"error":null` next to a result is harmless. */
  private _mayFollow(name: string | undefined): boolean {
    if (name === 'method') {
      this._mayLackId = false;
      return false;
    }
    if (name === 'id') {
      if (this._hasId) this.violation = FOREIGN;
      return !this._hasId;
    }
    if (name === 'result') {
      if (this._hasResult) return false;
      this._hasResult = true;
      this._mayLackId = false;
    } else if (name === 'error') {
      if (this._hasError) return false;
      this._hasError = true;
    }
    return true;
  }

  private _isOwn(id: string | undefined): boolean {
    this._hasId = true;
    this._mayLackId = id === 'null';
    if (id !== undefined && findKey(id) === this._key) return true;
    this.violation = FOREIGN;
    return false;
  }
}

function findKey(id: string): string | undefined {
  try {
    return formatIdKey(id);
  } catch {
    return undefined;
  }
}

/** The text before the id in most answers. */
export const BEFORE_FIRST_ID = '{"jsonrpc":"2.0","id":';

const OUTCOMES = ['"result":{', '"error":{'] as const;

/** The text after the result, with the id, that nearly all servers write when the result comes first. */
const ENDINGS = [
  [',"jsonrpc":"2.0","id":', '}'],
  [',"id":', ',"jsonrpc":"2.0"}'],
] as const;

/**
 * Whether an answer has the form that nearly all servers write, with no other top-level member. It compares text at known positions and at the
 * end of the outcome.
 */
export function isCommonResponse(json: Buffer, id: string): boolean {
  const last = json.length - 1;
  if (json[last] !== CLOSE_BRACE) return false;
  if (isTextAt(json, 0, BEFORE_FIRST_ID)) {
    const afterId = BEFORE_FIRST_ID.length + id.length;
    if (json[afterId] !== COMMA || !isTextAt(json, BEFORE_FIRST_ID.length, id)) return false;
    const outcome = findOutcome(json, afterId + 1);
    return outcome !== -1 && endsAt(json, outcome, last);
  }
  const outcome = json[0] === OPEN_BRACE ? findOutcome(json, 1) : -1;
  return outcome !== -1 && endsAt(json, outcome, findUsualEnding(json, id));
}

/** The position of the outcome's members; `at` is the position of the outcome's name. -1 when there is none. */
function findOutcome(json: Buffer, at: number): number {
  for (const outcome of OUTCOMES) if (isTextAt(json, at, outcome)) return at + outcome.length;
  return -1;
}

/** The position of the text after the outcome, or -1. */
function findUsualEnding(json: Buffer, id: string): number {
  for (const [before, after] of ENDINGS) {
    const idStart = json.length - after.length - id.length;
    const start = idStart - before.length;
    if (isTextAt(json, start, before) && isTextAt(json, idStart, id) && isTextAt(json, idStart + id.length, after)) {
      return start;
    }
  }
  return -1;
}

/** Whether the object whose first member begins at `from` ends at `end`, the position after its closing brace. */
function endsAt(json: Buffer, from: number, end: number): boolean {
  if (end <= from || json[end - 1] !== CLOSE_BRACE) return false;
  return mustEndAt(json, from, end - 1) || findValueEnd(json, from - 1) === end;
}

/**
 * Whether the object must extend to the brace before `end`, provided that the text is valid JSON: after an earlier closing brace of its
 * own, a comma and a name would follow. Most answers have few closing braces. It searches in text, which costs a third of a search in
 * bytes.
 */
function mustEndAt(json: Buffer, from: number, end: number): boolean {
  const text = json.toString('latin1', from, end);
  for (let brace = text.indexOf('}'); brace !== -1; brace = text.indexOf('}', brace + 1)) {
    const at = skipSpace(json, from + brace + 1);
    const c = json[at];
    if (c === OPEN_BRACE || (c === COMMA && json[skipSpace(json, at + 1)] === QUOTE)) return false;
  }
  return true;
}
