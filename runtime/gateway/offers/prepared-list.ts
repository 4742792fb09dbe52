import { compareText } from '#schemas';
import type { Envelope } from '../../mcp/envelope.ts';
import { WIRE_CODE, WireError } from '../../mcp/wire-error.ts';

/** Maximum number of items on one page of a list. */
export const PAGE_SIZE = 1000;

/** Maximum number of characters of the items on one page, unless a single item has more. Each client receives a page as one text. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

export interface PreparedItem {
  /** The key of the item, unique within the list; the list is sorted by it. */
  readonly key: string;
  readonly json: string;
  /** The form for clients with sessions, whose revisions lack some members of the stateless one; undefined when it equals `json`. */
  readonly sessionJson?: string | undefined;
}

/**
 * One aggregated list, ready to be sent: every item is JSON text, and the first page is joined once. Cursors contain the last key of a page, so
 * they stay valid when the list changes between two pages.
 */
export class PreparedList {
  readonly items: readonly PreparedItem[];
  readonly #member: string;
  /** The first page as JSON text, without its opening brace. */
  #firstPage: string | undefined;
  #forSessions: PreparedList | undefined;
  /** The encoded first page, by the members before it: one entry for each protocol revision. */
  readonly #firstPageBytes = new Map<string | undefined, Buffer>();

  /** @param member the member of the result that contains the items, for example `tools` */
  constructor(member: string, items: readonly PreparedItem[]) {
    this.#member = member;
    this.items = items.toSorted((a, b) => compareText(a.key, b.key));
  }

  /**
   * The JSON text of a list result.
   * @param cursor the `nextCursor` of an earlier page
   * @param common members at the front, as JSON text without braces: those of every result of the stateless revision
   * @throws WireError -32602 for a cursor that this list did not create
   */
  page(cursor?: string, common?: string): string {
    const page = this.#page(cursor);
    // The texts are joined without copying: clients with and without sessions share the one page in memory.
    return common === undefined ? `{${page}` : `{${common},${page}`;
  }

  #page(cursor: string | undefined): string {
    if (cursor === undefined) {
      this.#firstPage ??= this.#render(0);
      return this.#firstPage;
    }
    const last = decodeCursor(cursor);
    const start = this.items.findIndex(item => compareText(item.key, last) > 0);
    return this.#render(start === -1 ? this.items.length : start);
  }

  /** The text of {@link page} in UTF-8. The first page is encoded once for each `common`. */
  pageBytes(cursor?: string, common?: string): Buffer {
    if (cursor !== undefined) return Buffer.from(this.page(cursor, common));
    let bytes = this.#firstPageBytes.get(common);
    if (bytes === undefined) {
      bytes = Buffer.from(this.page(undefined, common));
      this.#firstPageBytes.set(common, bytes);
    }
    return bytes;
  }

  /** The list for clients with sessions; mostly this list itself. */
  get forSessions(): PreparedList {
    if (this.#forSessions === undefined) {
      const differs = this.items.some(({ sessionJson }) => sessionJson !== undefined);
      const items = this.items.map(({ key, json, sessionJson }) => ({ key, json: sessionJson ?? json }));
      this.#forSessions = differs ? new PreparedList(this.#member, items) : this;
    }
    return this.#forSessions;
  }

  /** The list of the items at the chosen positions; this same list when all are chosen. */
  only(isChosen: (index: number) => boolean): PreparedList {
    const items = this.items.filter((_, index) => isChosen(index));
    return items.length === this.items.length ? this : new PreparedList(this.#member, items);
  }

  /** Whether both lists show the same items. */
  equals(other: PreparedList): boolean {
    return (
      this.items.length === other.items.length &&
      this.items.every((item, index) => item.json === other.items[index]?.json)
    );
  }

  #render(start: number): string {
    const end = this.#endOfPage(start);
    const items = this.items.slice(start, end);
    const last = items.at(-1);
    const next = last !== undefined && end < this.items.length ? `,"nextCursor":"${encodeCursor(last.key)}"` : '';
    return `"${this.#member}":[${items.map(item => item.json).join(',')}]${next}}`;
  }

  #endOfPage(start: number): number {
    const last = Math.min(start + PAGE_SIZE, this.items.length);
    let length = 0;
    for (let end = start; end < last; end++) {
      length += (this.items[end] as PreparedItem).json.length;
      if (length > MAX_PAGE_LENGTH && end > start) return end;
    }
    return last;
  }
}

/**
 * The cursor of a list request, if any.
 * @throws WireError -32602 for a value that is not a string: the gateway never created it
 */
export function readCursor({ cursor }: Envelope): string | undefined {
  if (cursor !== undefined && cursor.value === undefined) throw createUnknownCursor();
  return cursor?.value;
}

/** The error for a cursor that the gateway did not create. */
export function createUnknownCursor(): WireError {
  return new WireError(WIRE_CODE.invalidParams, 'unknown cursor: pass the nextCursor of the previous page unchanged');
}

function encodeCursor(key: string): string {
  return Buffer.from(`after:${key}`).toString('base64url');
}

function decodeCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!text.startsWith('after:') || encodeCursor(text.slice('after:'.length)) !== cursor) {
    throw createUnknownCursor();
  }
  return text.slice('after:'.length);
}
