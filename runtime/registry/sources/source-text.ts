import { setImmediate } from 'node:timers/promises';
import { parseSourceFileInSteps, passesFilter, type RegistryEntry, type RegistryFilterPlan } from '#schemas';
import type { ServerEntry } from '../snapshot.ts';
import { formatNewerSchemaNote } from './newer-schema-note.ts';
import { type EntriesReading, ReadingError } from './reading.ts';
import { compareEntries, toServerEntry } from './server-entry.ts';

/** Number of entries that are prepared before other work may run. */
const ENTRIES_PER_STEP = 1_000;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The bytes of a source as text.
 *
 * @param location the location of the source, for messages
 * @throws ReadingError for bytes that are not UTF-8
 */
export function decodeSource(bytes: Uint8Array, location: string): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new ReadingError(location, 'is not UTF-8');
  }
}

/**
 * Reads the entries of a source file that pass the filter. One invalid server fails the whole file: the author can correct it, and a server that is
 * silently missing would be worse. A server with a newer `$schema` is validated by the newest schema that Lintel knows, because publishers may use new
 * schemas before Lintel is upgraded.
 *
 * Validating a large file takes a second. It is done in steps, so that requests are answered meanwhile.
 *
 * @param location the location of the source, for messages
 * @throws ReadingError
 */
export async function readSourceText(
  text: string,
  filter: RegistryFilterPlan,
  location: string,
  signal: AbortSignal,
): Promise<Pick<EntriesReading, 'entries' | 'note'>> {
  const { entries, problems, newer } = await runInSteps(parseSourceFileInSteps(text), signal);
  const [first] = problems;
  if (first !== undefined) {
    const where = first.pointer === '' ? '' : `${first.pointer} `;
    const others = problems.length === 1 ? '' : ` (the first of ${problems.length} problems)`;
    throw new ReadingError(location, `${where}${first.message}${others}`);
  }
  const selected = (await runInSteps(listEntries(entries, filter), signal)).sort(compareEntries);
  return { entries: selected, note: formatNewerSchemaNote(newer.length, entries.length) };
}

function* listEntries(
  entries: readonly RegistryEntry[],
  filter: RegistryFilterPlan,
): Generator<undefined, ServerEntry[], undefined> {
  const selected: ServerEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    if (passesFilter(filter, entry.server)) selected.push(toServerEntry(entry));
    if (index % ENTRIES_PER_STEP === ENTRIES_PER_STEP - 1) yield;
  }
  return selected;
}

/** Runs work in steps, and lets other work run after each step. */
async function runInSteps<T>(steps: Generator<undefined, T, undefined>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await setImmediate(undefined, { signal });
  }
}
