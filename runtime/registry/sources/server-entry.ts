import { compareText, type RegistryEntry, readTags } from '#schemas';
import type { ServerEntry } from '../snapshot.ts';

/** Converts an entry to the form in which it is listed. `json` is the member `server` as text; the caller may pass it. */
export function toServerEntry(
  { server, status, statusMessage, statusChangedAt, publishedAt, updatedAt }: RegistryEntry,
  json: Uint8Array = Buffer.from(JSON.stringify(server)),
): ServerEntry {
  const { name, version, title, description } = server;
  return {
    name,
    version,
    title: typeof title === 'string' ? title : null,
    description: typeof description === 'string' ? description : '',
    tags: readTags(server),
    status,
    statusMessage,
    statusChangedAt,
    publishedAt,
    updatedAt,
    json,
  };
}

/** The order of entries in a snapshot: by name, then by version, in code units. Zero for entries with the same name and version. */
export function compareEntries(a: ServerEntry, b: ServerEntry): number {
  return compareText(a.name, b.name) || compareText(a.version, b.version);
}
