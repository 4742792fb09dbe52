import type { CallSite } from '../origins.ts';

/** Positions in the program of the parts of a spec that is rendered on every request. */
export class ProvenanceNotes {
  readonly #noted = new Map<string, string>();
  readonly #note: (pointer: string, callSite: CallSite) => void;

  /** @param note receives new positions, such as {@link noteOrigin} with the object */
  constructor(note: (pointer: string, callSite: CallSite) => void) {
    this.#note = note;
  }

  add(path: readonly (string | number)[], callSite: CallSite): void {
    this.addPointer(path.map(step => `/${`${step}`.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), callSite);
  }

  /** @param pointer RFC 6901 */
  addPointer(pointer: string, callSite: CallSite): void {
    const text = JSON.stringify(callSite);
    if (this.#noted.get(pointer) === text) return;
    this.#noted.set(pointer, text);
    this.#note(pointer, callSite);
  }
}
