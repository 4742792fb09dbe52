/** What is wrong with an entry, or with a file of entries. */
export interface ServerProblem {
  /** JSON pointer (RFC 6901) to what it is about, from the root of what was judged. */
  readonly pointer: string;
  /** The end of a sentence about that place, such as "must be a string". */
  readonly message: string;
  /** Where it makes a difference: a `$schema` that is not known, or an entry that is there already. */
  readonly kind?: 'repeated' | 'schema';
}

/** After these many problems of one text the rest is not looked for. */
export const MAX_PROBLEMS = 100;

/** A pointer one step further (RFC 6901, section 3). */
export function below(pointer: string, step: string | number): string {
  return `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
