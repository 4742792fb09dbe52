import type { CallSite } from '../origins.ts';

/** Records where in the program the parts of a spec come from. The spec may be rendered several times, but equal positions are recorded only once. */
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
