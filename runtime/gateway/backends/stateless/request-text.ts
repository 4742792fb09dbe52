/** What a request of a session lacks for a stateless backend, put into its text; all other characters stay as they came. */

import { decodeNameAt } from '../../../mcp/json-member-names.ts';
import { findMember, messageStart, setMembers } from '../../../mcp/json-members.ts';
import { CHAR, skipName, skipSpace, skipValue } from '../../../mcp/json-scan.ts';

/** The members that go into `_meta` of every request. */
export class RequestMeta {
  readonly #members: ReadonlyMap<string, string>;
  /** `"name":value,…` without the braces. */
  readonly #inner: string;

  /** Names to JSON texts. */
  constructor(members: ReadonlyMap<string, string>) {
    this.#members = members;
    this.#inner = [...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
  }

  /** A request with the members in `params._meta`. What else stands there is kept; of the same name, ours counts. */
  addTo(text: string): string {
    const start = messageStart(text);
    const params = startOfParams(text, start);
    const own = `"_meta":{${this.#inner}}`;
    if (params === -1) return `${text.slice(0, start + 1)}"params":{${own}},${text.slice(start + 1)}`;
    const meta = mayHaveMeta(text) ? findMember(text, params, '_meta') : undefined;
    if (meta === undefined) {
      const first = skipSpace(text, params + 1);
      const comma = text.charCodeAt(first) === CHAR.closeBrace ? '' : ',';
      return text.slice(0, params + 1) + own + comma + text.slice(params + 1);
    }
    // Anything but an object there means nothing.
    if (text.charCodeAt(meta.start) === CHAR.openBrace) return setMembers(text, meta.start, this.#members);
    return `${text.slice(0, meta.start)}{${this.#inner}}${text.slice(meta.end)}`;
  }
}

/** A request with another id and with further members in `params`; all are JSON text. */
export function followUp(text: string, id: string, params: ReadonlyMap<string, string>): string {
  const renamed = setMembers(text, messageStart(text), new Map([['id', id]]));
  return setMembers(renamed, startOfParams(renamed, messageStart(renamed)), params);
}

/** A native search spares most requests a walk through their arguments; a name can be written with escapes. */
function mayHaveMeta(text: string): boolean {
  return text.includes('_meta') || text.includes('\\u');
}

/** Where the value of `params` begins, without a look at what follows; -1 when there are none. */
function startOfParams(text: string, start: number): number {
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) === CHAR.quote) {
    const value = skipName(text, at);
    if (decodeNameAt(text, at, value) === 'params') return value;
    at = skipSpace(text, skipValue(text, value, 1));
    if (text.charCodeAt(at) === CHAR.comma) at = skipSpace(text, at + 1);
  }
  return -1;
}
