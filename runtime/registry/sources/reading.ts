/** The result of reading a source of any kind. */
import type { ServerEntry } from '../snapshot.ts';

/** Limit on the decoded bytes of one reading. */
export const MAX_SOURCE_BYTES: number = 100 * 1024 * 1024;

export interface EntriesReading {
  /** By name, then version, each pair once, filtered. */
  readonly entries: readonly ServerEntry[];
  /** Identifies the state, so that the next reading can notice that nothing has changed; null when nothing identifies it. */
  readonly mark: string | null;
  /** The omitted entries and those of an older format, for operators; empty when there are none. */
  readonly note: string;
}

/** All is as in the reading that the former mark is of. */
export interface UnchangedReading {
  readonly entries: undefined;
  readonly mark: string | null;
}

export type Reading = EntriesReading | UnchangedReading;

/**
 * Reads a source once, to its end.
 *
 * @param mark of the reading whose entries are listed now; null when there is none
 * @param signal gives up
 * @throws ReadingError, RequestError
 */
export type Reader = (mark: string | null, signal: AbortSignal) => Promise<Reading>;

/** Why a source gives no entries: for operators, without credentials, and equal for equal causes. */
export class ReadingError extends Error {
  constructor(location: string, cause: string) {
    super(`${location}: ${truncate(cause)}`);
    this.name = 'ReadingError';
  }
}

/** Longest foreign text in a message of ours; characters. */
const MAX_CAUSE_LENGTH = 300;

/** A text that an upstream has a part in, fit for one line. */
export function truncate(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ');
  return plain.length <= MAX_CAUSE_LENGTH ? plain : `${plain.slice(0, MAX_CAUSE_LENGTH).toWellFormed()}…`;
}
