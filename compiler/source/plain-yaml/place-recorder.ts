/** What an entry says: where its key and its value stand, and which entry is the first that is not inside of it. */
export const KEY_START = 0;
export const KEY_END = 1;
export const START = 2;
export const END = 3;
export const NEXT = 4;
export const NUMBERS = 5;

const LARGEST_16_BIT = 0xffff;

/** The entries of a text, one after the other. */
export type LocationNumbers = Uint16Array | Uint32Array;

/** Takes down where values stand while they are read. */
export class LocationRecorder {
  readonly #numbers: number[] = [];

  /** A document or an item, which has no key, or a member whose key stands there. To be closed when its value was read. */
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

  /** @param text - The one that was read. No number is larger than it is long: each entry takes at least one character. */
  finish(text: string): LocationNumbers {
    return text.length > LARGEST_16_BIT ? new Uint32Array(this.#numbers) : new Uint16Array(this.#numbers);
  }
}
