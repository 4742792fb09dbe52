/** Adds the members that a session's request needs for a stateless backend to its text; all other characters stay unchanged. */

import { CLOSE_BRACE, COMMA, OPEN_BRACE, QUOTE, skipSpace } from '../../../mcp/json/characters.ts';
import { decodeNameAt } from '../../../mcp/json/member-names.ts';
import { findMember, findMessageStart, setMembers } from '../../../mcp/json/members.ts';
import { skipName, skipValue } from '../../../mcp/json/scan-text.ts';

/** The members of every request's `_meta`. */
export class RequestMeta {
  readonly #members: ReadonlyMap<string, string>;
  /** The members as JSON text, `"name":value,…` without the braces. */
  readonly #inner: string;

  /** @param members names to JSON texts */
  constructor(members: ReadonlyMap<string, string>) {
    this.#members = members;
    this.#inner = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
  }

  /**
   * Adds the members to `params._meta` of a request. Other members of `_meta` stay; of two members with the same name, the gateway's replaces the
   * client's.
   */
  addTo(text: string): string {
    const start = findMessageStart(text);
    const params = startOfParams(text, start);
    const own = `"_meta":{${this.#inner}}`;
    if (params === -1) return `${text.slice(0, start + 1)}"params":{${own}},${text.slice(start + 1)}`;
    const meta = mayHaveMeta(text) ? findMember(text, params, '_meta') : undefined;
    if (meta === undefined) {
      const first = skipSpace(text, params + 1);
      const comma = text.charCodeAt(first) === CLOSE_BRACE ? '' : ',';
      return text.slice(0, params + 1) + own + comma + text.slice(params + 1);
    }
    // A `_meta` that is not an object has no meaning.
    if (text.charCodeAt(meta.start) === OPEN_BRACE) return setMembers(text, meta.start, this.#members);
    return `${text.slice(0, meta.start)}{${this.#inner}}${text.slice(meta.end)}`;
  }
}

/** Returns a request with another id and with further members in `params`; all are JSON text. */
export function followUp(text: string, id: string, params: ReadonlyMap<string, string>): string {
  const renamed = setMembers(text, findMessageStart(text), new Map([['id', id]]));
  return setMembers(renamed, startOfParams(renamed, findMessageStart(renamed)), params);
}

/** Whether a request may have `_meta`. This search saves most requests a scan of their arguments; a name can be written with escapes. */
function mayHaveMeta(text: string): boolean {
  return text.includes('_meta') || text.includes('\\u');
}

/** The position of the value of `params`, without checking the text after it; -1 when the request has no params. */
function startOfParams(text: string, start: number): number {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) === QUOTE) {
    const value = skipName(text, at);
    if (decodeNameAt(text, at, value) === 'params') return value;
    at = skipSpace(text, skipValue(text, value, 1));
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return -1;
}
