/** The value that replaces further values once a label has `MAX_LABEL_VALUES`. */
export const OTHER = 'other';

/** Limit on the values of one label. */
export const MAX_LABEL_VALUES = 200;

/** Maximum length of a value in characters; longer values are cut, because a page with them would be unreadable. */
const MAX_LENGTH = 128;

/**
 * The values of one label, up to a limit. A limit is needed because backends and clients choose names, and each value stays in memory as long as the
 * process lives.
 */
export class LabelValues {
  readonly #max: number;
  readonly #values = new Set<string>();
  #overflows = 0;

  constructor(max: number = MAX_LABEL_VALUES) {
    this.#max = max;
  }

  /** How often a value was replaced because of the limit. */
  get overflows(): number {
    return this.#overflows;
  }

  /** The value, or `other` beyond the limit. */
  limit(value: string): string {
    const short = value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH - 1)}…` : value;
    if (this.#values.has(short)) return short;
    if (this.#values.size >= this.#max) {
      this.#overflows++;
      return OTHER;
    }
    this.#values.add(short);
    return short;
  }
}
