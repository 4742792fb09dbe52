/**
 * Reads and writes entries as text, one JSON object in each line. This is the format of the files of entries next to a bundle (`EntriesFile`), and of
 * the last good entries of a source on disk.
 */
import type { RegistryEntry } from '#schemas';
import type { ServerEntry } from '../snapshot.ts';
import { compareEntries, toServerEntry } from './server-entry.ts';

const LINE_FEED = 10;

const STATUSES: ReadonlySet<unknown> = new Set(['active', 'deprecated', 'deleted']);

/** The text of entries is invalid; the message names the line. */
export class EntryLinesError extends Error {
  constructor(line: number, cause: string) {
    super(`line ${line} ${cause}`);
    this.name = 'EntryLinesError';
  }
}

/**
 * Reads entries that were checked when they were written. `json` of each entry is a part of `bytes`, which therefore stay in memory. Only what other
 * code relies on is checked again: members and their types, the order, and that each version occurs once.
 *
 * @throws EntryLinesError
 */
export function readEntryLines(bytes: Buffer): ServerEntry[] {
  const entries: ServerEntry[] = [];
  let last: ServerEntry | undefined;
  for (let start = 0; start < bytes.length; ) {
    const number = entries.length + 1;
    const end = bytes.indexOf(LINE_FEED, start);
    if (end === -1) throw new EntryLinesError(number, 'has no end');
    const line = bytes.subarray(start, end);
    const value = parseEntry(line, number);
    const entry = toServerEntry(value, readServerText(line, value));
    if (last !== undefined && compareEntries(last, entry) >= 0)
      throw new EntryLinesError(number, 'is not in order, or occurs twice');
    entries.push(entry);
    last = entry;
    start = end + 1;
  }
  return entries;
}

/** Formats entries as text, in chunks of 256 lines. */
export function* formatEntryLines(entries: readonly ServerEntry[]): Generator<Buffer> {
  const linesOfPiece = 256;
  for (let start = 0; start < entries.length; start += linesOfPiece) {
    yield Buffer.concat(entries.slice(start, start + linesOfPiece).flatMap(formatLine));
  }
}

function formatLine({ json, ...entry }: ServerEntry): Uint8Array[] {
  const { publishedAt, status, statusChangedAt, statusMessage, updatedAt } = entry;
  const known = {
    ...(statusChangedAt !== undefined && { statusChangedAt }),
    ...(statusMessage !== undefined && { statusMessage }),
  };
  const { before, after } = splitAround({ publishedAt, server: 0, status, ...known, updatedAt });
  return [Buffer.from(before), json, Buffer.from(`${after}\n`)];
}

function parseEntry(line: Buffer, number: number): RegistryEntry {
  let value: Partial<RegistryEntry> | null;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    throw new EntryLinesError(number, 'is not JSON');
  }
  const { server, status, statusMessage, statusChangedAt, publishedAt, updatedAt } = value ?? {};
  const isEntry =
    isText(server?.name) &&
    isText(server?.version) &&
    STATUSES.has(status) &&
    [statusMessage, statusChangedAt].every(text => text === undefined || typeof text === 'string') &&
    isTime(publishedAt) &&
    isTime(updatedAt);
  if (!isEntry) throw new EntryLinesError(number, 'is not an entry of a registry');
  return value as RegistryEntry;
}

/** The position of `server` in its line. It is found by the short text around it, because scanning it would take longer. */
function readServerText(line: Buffer, entry: RegistryEntry): Uint8Array {
  const { before, after } = splitAround({ ...entry, server: 0 });
  const end = Math.max(line.length - after.length, 0);
  const isAround = line.toString('latin1', 0, before.length) === before && line.toString('latin1', end) === after;
  // If the members around `server` are not spelled as expected, its position is unknown, so `server` is formatted again.
  return isAround ? line.subarray(before.length, end) : Buffer.from(JSON.stringify(entry.server));
}

/** The text of an entry before and after its server. The mark would be escaped in a string, so it occurs only once. */
function splitAround(entry: Omit<RegistryEntry, 'server'> & { readonly server: 0 }): { before: string; after: string } {
  const mark = '"server":0';
  const text = JSON.stringify(entry);
  const at = text.indexOf(mark) + mark.length;
  return { before: text.slice(0, at - 1), after: text.slice(at) };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isTime(value: unknown): boolean {
  return value === null || typeof value === 'string';
}
