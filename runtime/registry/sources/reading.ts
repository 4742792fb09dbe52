/** The result of reading a source of any kind. */
import type { ServerEntry } from '../snapshot.ts';

/** Limit on the decoded bytes of one reading. */
export const MAX_SOURCE_BYTES: number = 100 * 1024 * 1024;

export interface EntriesReading {
  /** Sorted by name, then version, without duplicates, filtered. */
  readonly entries: readonly ServerEntry[];
  /** Identifies the state, so that the next reading can detect that nothing has changed; null when no such mark exists. */
  readonly mark: string | null;
  /** The omitted entries and those of an older format, for operators; empty when there are none. */
  readonly note: string;
}

/** Nothing has changed since the reading with the former mark. */
export interface UnchangedReading {
  readonly entries: undefined;
  readonly mark: string | null;
}

export type Reading = EntriesReading | UnchangedReading;

/**
 * Reads a source once, to its end.
 *
 * @param mark of the reading whose entries are listed now; null when there is none
 * @param signal ends the reading
 * @throws ReadingError, RequestError
 */
export type Reader = (mark: string | null, signal: AbortSignal) => Promise<Reading>;

/** Why a source provides no entries: for operators, without credentials, and equal for equal causes. */
export class ReadingError extends Error {
  constructor(location: string, cause: string) {
    super(`${location}: ${truncate(cause)}`);
    this.name = 'ReadingError';
  }
}

/** Maximum length of foreign text in a message, in characters. */
const MAX_CAUSE_LENGTH = 300;

/** A text that may contain text of an upstream, on one line. */
export function truncate(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ');
  return plain.length <= MAX_CAUSE_LENGTH ? plain : `${plain.slice(0, MAX_CAUSE_LENGTH).toWellFormed()}…`;
}
