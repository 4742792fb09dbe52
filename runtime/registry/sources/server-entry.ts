import { compareText, type RegistryEntry, readTags } from '#schemas';
import type { ServerEntry } from '../snapshot.ts';

/** An entry in the form in which it is listed. `json` is its `server` as text, created here unless the caller has it. */
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

/** The order of a snapshot: by name, then version, in code units. Zero for two versions that cannot both be listed. */
export function compareEntries(a: ServerEntry, b: ServerEntry): number {
  return compareText(a.name, b.name) || compareText(a.version, b.version);
}
