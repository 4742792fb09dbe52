/** Renders answers in the form of the official API, from the bytes of the entries, which are copied only once. */
import { OFFICIAL_META } from '#schemas';
import type { ListedVersion } from './catalog.ts';

const BEFORE_SERVER = '{"server":';

/** A `ServerList`. @param nextCursor undefined on the last page */
export function renderList(versions: readonly ListedVersion[], nextCursor: string | undefined): Buffer {
  const parts: ResponsePart[] = ['{"servers":['];
  versions.forEach((version, index) => {
    parts.push(index > 0 ? `,${BEFORE_SERVER}` : BEFORE_SERVER, version.entry.json, formatAfterServer(version));
  });
  parts.push(`],"metadata":${JSON.stringify({ nextCursor, count: versions.length })}}`);
  return joinParts(parts);
}

/** A `ServerResponse`. */
export function renderServer(version: ListedVersion): Buffer {
  return joinParts([BEFORE_SERVER, version.entry.json, formatAfterServer(version)]);
}

function formatAfterServer({ entry, isLatest }: ListedVersion): string {
  const { status, statusMessage, statusChangedAt, publishedAt, updatedAt } = entry;
  // Unknown members are omitted: the official schema requires none of them, and permits no null.
  const message = statusMessage === undefined ? '' : `,"statusMessage":${JSON.stringify(statusMessage)}`;
  const changed = statusChangedAt === undefined ? '' : `,"statusChangedAt":${JSON.stringify(statusChangedAt)}`;
  const published = publishedAt === null ? '' : `,"publishedAt":${JSON.stringify(publishedAt)}`;
  const updated = updatedAt === null ? '' : `,"updatedAt":${JSON.stringify(updatedAt)}`;
  return `,"_meta":{"${OFFICIAL_META}":{"status":"${status}"${message}${changed}${published}${updated},"isLatest":${isLatest}}}}`;
}

type ResponsePart = string | Uint8Array;

/** Joins the parts of an answer in a separately allocated buffer: a small buffer from Node's pool would keep the whole pool in memory. */
function joinParts(parts: readonly ResponsePart[]): Buffer {
  const length = parts.reduce(
    (sum, part) => sum + (typeof part === 'string' ? Buffer.byteLength(part) : part.length),
    0,
  );
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') at += bytes.write(part, at);
    else {
      bytes.set(part, at);
      at += part.length;
    }
  }
  return bytes;
}
