/** Answers in the form of the official API, put together from the entries' own bytes. */
import { OFFICIAL_META } from '#schemas';
import type { ListedVersion } from './catalog.ts';

const BEFORE_SERVER = Buffer.from('{"server":');
const COMMA = Buffer.from(',');

/** A `ServerList`. @param nextCursor undefined on the last page */
export function renderList(versions: readonly ListedVersion[], nextCursor: string | undefined): Buffer {
  const parts: Uint8Array[] = [Buffer.from('{"servers":[')];
  versions.forEach((version, index) => {
    if (index > 0) parts.push(COMMA);
    addServer(parts, version);
  });
  parts.push(Buffer.from(`],"metadata":${JSON.stringify({ nextCursor, count: versions.length })}}`));
  return Buffer.concat(parts);
}

/** A `ServerResponse`. */
export function renderServer(version: ListedVersion): Buffer {
  const parts: Uint8Array[] = [];
  addServer(parts, version);
  return Buffer.concat(parts);
}

function addServer(parts: Uint8Array[], { entry, isLatest }: ListedVersion): void {
  const { status, publishedAt, updatedAt } = entry;
  // What is not known is left out: the official schema demands none of them, and permits no null.
  const official = {
    status,
    publishedAt: publishedAt ?? undefined,
    updatedAt: updatedAt ?? undefined,
    isLatest,
  };
  parts.push(BEFORE_SERVER, entry.json, Buffer.from(`,"_meta":${JSON.stringify({ [OFFICIAL_META]: official })}}`));
}
