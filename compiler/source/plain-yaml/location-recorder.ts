/** The fields of an entry: the start of its key, the start of its value, and the index of the first entry after those inside of it. */
export const KEY_START = 0;
export const KEY_END = 1;
export const START = 2;
export const END = 3;
export const NEXT = 4;
export const NUMBERS = 5;

const LARGEST_16_BIT = 0xffff;

/** The entries of a text, in sequence. */
export type LocationNumbers = Uint16Array | Uint32Array;

/** Records the positions of values during parsing. */
export class LocationRecorder {
  readonly #numbers: number[] = [];

  /** Opens an entry: a document or item without a key, or a member with a key. It is closed after its value. */
  open(keyStart = 0, keyEnd = 0): number {
    const entry = this.#numbers.length / NUMBERS;
    this.#numbers.push(keyStart, keyEnd, 0, 0, 0);
    return entry;
  }

  close(entry: number, start: number, end: number): void {
    const at = entry * NUMBERS;
    this.#numbers[at + START] = start;
    this.#numbers[at + END] = end;
    this.#numbers[at + NEXT] = this.#numbers.length / NUMBERS;
  }

  /** @param text - The parsed text. Its length bounds all numbers, because each entry takes at least one character. */
  finish(text: string): LocationNumbers {
    return text.length > LARGEST_16_BIT ? new Uint32Array(this.#numbers) : new Uint16Array(this.#numbers);
  }
}
