import { createHash } from 'node:crypto';
import type { ServerEntry, Snapshot } from '../snapshot.ts';
import { formatEntryLines } from './entry-lines.ts';

/** Creates a snapshot of sorted entries. Its revision is the digest of the text that the entries have in a file of entries. */
export function createSnapshot(source: string, entries: readonly ServerEntry[]): Snapshot {
  const hash = createHash('sha256');
  for (const piece of formatEntryLines(entries)) hash.update(piece);
  return { source, revision: `sha256:${hash.digest('hex')}`, entries };
}
