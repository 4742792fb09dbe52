import type { Given } from '../origins.ts';

/** Where the parts of a spec were given, for a spec that is rendered again at each request. */
export class Notes {
  readonly #noted = new Map<string, string>();
  readonly #note: (pointer: string, given: Given) => void;

  /** @param note takes what is new, such as {@link noteOrigin} with the object */
  constructor(note: (pointer: string, given: Given) => void) {
    this.#note = note;
  }

  add(path: readonly (string | number)[], given: Given): void {
    this.addPointer(path.map(step => `/${`${step}`.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), given);
  }

  /** @param pointer RFC 6901 */
  addPointer(pointer: string, given: Given): void {
    const text = JSON.stringify(given);
    if (this.#noted.get(pointer) === text) return;
    this.#noted.set(pointer, text);
    this.#note(pointer, given);
  }
}
