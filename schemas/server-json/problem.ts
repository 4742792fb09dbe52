/** A violation in an entry or in a file of entries. */
export interface ServerProblem {
  /** JSON pointer (RFC 6901) to the violation, from the root of the checked value. */
  readonly pointer: string;
  /** The end of a sentence about the value at that pointer, such as "must be a string". */
  readonly message: string;
  /** Set for the two problems that callers treat specially: an unknown `$schema`, and a duplicate entry. */
  readonly kind?: 'repeated' | 'schema';
}

/** The check of one text stops after this many problems. */
export const MAX_PROBLEMS = 100;

/** A JSON pointer with one more step (RFC 6901, section 3). */
export function joinPointer(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
