import type { PlacedChild, PlacedNode } from '../locate.ts';
import type { Span } from '../problem.ts';
import { Cursor } from './cursor.ts';
import { END, KEY_END, KEY_START, type LocationNumbers, NEXT, NUMBERS, START } from './location-recorder.ts';
import { isQuote, readQuoted } from './scalars.ts';

/**
 * The positions of a text's values: one entry per value, followed by the entries inside of it. Any position may be requested but few are, so the
 * map is compact and is searched linearly.
 */
export class SourceMap {
  readonly #text: string;
  readonly #numbers: LocationNumbers;
  /** Parses quoted keys again. */
  #keys: Cursor | undefined;

  constructor(text: string, numbers: LocationNumbers) {
    this.#text = text;
    this.#numbers = numbers;
  }

  /** The tree for locating values. */
  node(entry: number): PlacedNode {
    return { span: this.#getValue(entry), child: step => this.#findChild(entry, step) };
  }

  #findChild(parent: number, step: string | number): PlacedChild | undefined {
    const end = this.#getAt(parent, NEXT);
    let position = 0;
    for (let entry = parent + 1; entry < end; entry = this.#getAt(entry, NEXT)) {
      if (!this.#hasKey(entry)) {
        if (position === Number(step)) return { node: this.node(entry) };
      } else if (this.#isNamed(entry, String(step))) {
        return { key: this.#getKey(entry), node: this.node(entry) };
      }
      position += 1;
    }
    return undefined;
  }

  #isNamed(entry: number, name: string): boolean {
    const text = this.#text;
    const start = this.#getAt(entry, KEY_START);
    const length = this.#getAt(entry, KEY_END) - start;
    if (!isQuote(text.charCodeAt(start))) return length === name.length && text.startsWith(name, start);
    // A quoted key is never shorter than the name that it means, because each escape is longer than its character.
    if (length - 2 < name.length) return false;
    this.#keys ??= new Cursor(text);
    this.#keys.at = start;
    return readQuoted(this.#keys) === name;
  }

  #hasKey(entry: number): boolean {
    return this.#getAt(entry, KEY_END) > this.#getAt(entry, KEY_START);
  }

  #getKey(entry: number): Span {
    return { start: this.#getAt(entry, KEY_START), end: this.#getAt(entry, KEY_END) };
  }

  /** An empty value has no text of its own; its position is directly behind its key. */
  #getValue(entry: number): Span {
    const start = this.#getAt(entry, START);
    const end = this.#getAt(entry, END);
    if (start < end || !this.#hasKey(entry)) return { start, end };
    return { start: this.#getAt(entry, KEY_END), end: this.#getAt(entry, KEY_END) };
  }

  #getAt(entry: number, which: number): number {
    return this.#numbers[entry * NUMBERS + which] as number;
  }
}
