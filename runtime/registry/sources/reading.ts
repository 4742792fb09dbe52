/** The result of reading a source of any kind. */
import type { ServerEntry } from '../snapshot.ts';

/** Maximum number of decompressed bytes in one reading. */
export const MAX_SOURCE_BYTES: number = 100 * 1024 * 1024;

export interface EntriesReading {
  /** The entries that pass the filter, sorted by name and then version, without duplicates. */
  readonly entries: readonly ServerEntry[];
  /** Identifies the state of the source, so that the next reading can detect that nothing has changed; null if the source has no such mark. */
  readonly mark: string | null;
  /** A note for operators about omitted entries and entries of another format; empty if there are none. */
  readonly note: string;
}

/** Nothing has changed since the reading whose mark was passed to the reader. */
export interface UnchangedReading {
  readonly entries: undefined;
  readonly mark: string | null;
}

export type Reading = EntriesReading | UnchangedReading;

/**
 * Reads a source once, to its end.
 *
 * @param mark the mark of the reading whose entries are listed now; null if there is none
 * @param signal aborts the reading
 * @throws ReadingError, RequestError
 */
export type Reader = (mark: string | null, signal: AbortSignal) => Promise<Reading>;

/** A source provides no entries. The message is for operators, has no credentials, and is the same for the same cause. */
export class ReadingError extends Error {
  constructor(location: string, cause: string) {
    super(`${location}: ${truncate(cause)}`);
    this.name = 'ReadingError';
  }
}

/** Maximum length of an upstream's text in a message, in characters. */
const MAX_CAUSE_LENGTH = 300;

/** Shortens a text that may contain text of an upstream, and puts it on one line. */
export function truncate(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ');
  return plain.length <= MAX_CAUSE_LENGTH ? plain : `${plain.slice(0, MAX_CAUSE_LENGTH).toWellFormed()}…`;
}
