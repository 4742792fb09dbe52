/**
 * Whether what a backend says is the answer to the request that it came for: one JSON-RPC response with the request's id. Clients
 * match answers to requests by id alone, so one with another id would be taken for that of another request, which another
 * backend may be working on; and a request or notification would reach the client past all that looks at those. Parsers differ
 * on a name that is there twice, and on its case, so such a response is for no request.
 */
import { idKey } from '../../../mcp/envelope.ts';
import {
  afterNested,
  BEFORE_FIRST_ID,
  CLOSE_BRACE,
  COMMA,
  isTextAt,
  OPEN_BRACE,
  QUOTE,
  skipSpace,
} from './json-bytes.ts';
import { READ, ResponseScanner } from './response-scanner.ts';

/** What is wrong with an answer. Completes "the backend …". */
export type ResponseViolation = typeof FOREIGN | typeof NO_RESPONSE;

const FOREIGN = 'answered another request';
const NO_RESPONSE = 'answered with something other than a JSON-RPC response';

/** What is wrong with a whole answer to the request `id` (JSON text); undefined when nothing is. */
export function validateResponse(json: Buffer, id: string): ResponseViolation | undefined {
  if (isCommonResponse(json, id)) return undefined;
  const answer = new ResponseValidator(id);
  return answer.push(json) ? answer.violationAtEnd : answer.violation;
}

/** The same for an answer that comes in pieces. */
export class ResponseValidator {
  private readonly _key: string;
  private readonly _reader: ResponseScanner = new ResponseScanner();
  private _hasId = false;
  private _hasResult = false;
  private _hasError = false;
  private _isComplete = false;
  private _isFlawed = false;
  private _mayLackId = true;
  /** After `push` has returned false. */
  violation: ResponseViolation = NO_RESPONSE;

  /** @param id the request's id as JSON text */
  constructor(id: string) {
    this._key = idKey(id);
  }

  /** Reads the next chunk. False as soon as the text cannot be the beginning of the answer, and from then on. */
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

  /** It may still be an error without an id, or with the id null, even if `push` has returned false: nothing says whose it is. */
  get mayLackId(): boolean {
    return this._mayLackId;
  }

  /** What is wrong when nothing more comes. */
  get violationAtEnd(): ResponseViolation | undefined {
    return this._isComplete ? undefined : NO_RESPONSE;
  }

  /** A member at the top. Names that mean something are there once; `"error":null` next to a result is harmless. */
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
    return idKey(id);
  } catch {
    return undefined;
  }
}

const OUTCOMES = ['"result":{', '"error":{'] as const;

/** What nearly all servers write behind a result that comes first, around the id. */
const ENDINGS = [
  [',"jsonrpc":"2.0","id":', '}'],
  [',"id":', ',"jsonrpc":"2.0"}'],
] as const;

/**
 * Whether an answer is written as nearly all servers write it, and has no other member at its top. Found by comparing at known
 * places, and by where the outcome ends.
 */
export function isCommonResponse(json: Buffer, id: string): boolean {
  const last = json.length - 1;
  if (json[last] !== CLOSE_BRACE) return false;
  if (isTextAt(json, 0, BEFORE_FIRST_ID)) {
    const afterId = BEFORE_FIRST_ID.length + id.length;
    if (json[afterId] !== COMMA || !isTextAt(json, BEFORE_FIRST_ID.length, id)) return false;
    const outcome = outcomeAt(json, afterId + 1);
    return outcome !== -1 && endsAt(json, outcome, last);
  }
  const outcome = json[0] === OPEN_BRACE ? outcomeAt(json, 1) : -1;
  return outcome !== -1 && endsAt(json, outcome, usualEnding(json, id));
}

/** Where the members of the outcome begin whose name stands at `at`, or -1. */
function outcomeAt(json: Buffer, at: number): number {
  for (const outcome of OUTCOMES) if (isTextAt(json, at, outcome)) return at + outcome.length;
  return -1;
}

/** Where that begins which stands behind the outcome, or -1. */
function usualEnding(json: Buffer, id: string): number {
  for (const [before, after] of ENDINGS) {
    const idStart = json.length - after.length - id.length;
    const start = idStart - before.length;
    if (isTextAt(json, start, before) && isTextAt(json, idStart, id) && isTextAt(json, idStart + id.length, after)) {
      return start;
    }
  }
  return -1;
}

/** Whether the object whose first member begins at `from` ends at `end`, which is right behind its brace. */
function endsAt(json: Buffer, from: number, end: number): boolean {
  if (end <= from || json[end - 1] !== CLOSE_BRACE) return false;
  return mustEndAt(json, from, end - 1) || afterNested(json, from) === end;
}

/**
 * Whether the object must go on up to its brace at `end`, if all is JSON: behind an earlier brace of its own a comma and a name
 * would have to come. Most answers have few closing braces. They are looked for in text, where a search costs a third of one in bytes.
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
