/** An entity tag (RFC 9110, section 8.8.3), up to the comma after it or the end. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\u00ff]*")[ \t]*(?:,|$)/y;
const BETWEEN = /[ \t,]*/y;

/**
 * Whether the client already has this content, according to `If-None-Match` (RFC 9110, section 13.1.2): weak and strong tags count alike,
 * and `*` matches any content. A malformed list counts up to its first mistake.
 *
 * @param etag strong, with its quotes
 */
export function isKnownToClient(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header === etag || header === '*') return true;
  let at = 0;
  for (;;) {
    BETWEEN.lastIndex = at;
    BETWEEN.exec(header);
    ENTITY_TAG.lastIndex = BETWEEN.lastIndex;
    const found = ENTITY_TAG.exec(header);
    if (found === null) return false;
    if (found[1] === etag) return true;
    at = ENTITY_TAG.lastIndex;
  }
}
