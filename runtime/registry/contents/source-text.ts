import { passesFilter, type RegistryFilterPlan, readSourceFile } from '#schemas';
import type { ServerEntry } from '../snapshot.ts';
import { ReadingError } from './reading.ts';
import { compareEntries, serverEntry } from './server-entry.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Bytes of a source as text.
 *
 * @param place where they were read, for messages
 * @throws ReadingError for bytes that are not UTF-8
 */
export function sourceTextOf(bytes: Uint8Array, place: string): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new ReadingError(place, 'is not UTF-8');
  }
}

/**
 * The entries of a source file that pass the filter. One bad server rejects the file: whoever writes it is at hand, and a
 * server that silently is not there is worse than a reading that failed.
 *
 * @param place where it was read, for messages
 * @throws ReadingError
 */
export function entriesOfSourceText(text: string, filter: RegistryFilterPlan, place: string): ServerEntry[] {
  const { entries, problems } = readSourceFile(text);
  const [first] = problems;
  if (first !== undefined) {
    const where = first.pointer === '' ? '' : `${first.pointer} `;
    const others = problems.length === 1 ? '' : ` (the first of ${problems.length} problems)`;
    throw new ReadingError(place, `${where}${first.message}${others}`);
  }
  return entries
    .filter(({ server }) => passesFilter(filter, server))
    .map(entry => serverEntry(entry))
    .sort(compareEntries);
}
