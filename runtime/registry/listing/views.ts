/** The views that are in use, shared by all callers who may see the same sources. */
import type { Snapshot } from '../snapshot.ts';
import { View } from './view.ts';

/** Views that are kept; the one that was used longest ago goes. */
export const MAX_VIEWS = 32;

export class Views {
  readonly #snapshots: () => ReadonlyMap<string, Snapshot>;
  /** By the names of the sources, which hold no line feed; used last comes last. */
  readonly #views = new Map<string, View>();
  #last: string | undefined;

  constructor(snapshots: () => ReadonlyMap<string, Snapshot>) {
    this.#snapshots = snapshots;
  }

  /** What these sources show now, best first; the same object for as long as they show the same. */
  of(sources: readonly string[]): View {
    const current = this.#snapshots();
    const key = sources.join('\n');
    const kept = this.#views.get(key);
    const view = kept?.isOf(current) === true ? kept : this.#make(sources, current);
    if (view === kept && key === this.#last) return view;
    this.#views.delete(key);
    this.#views.set(key, view);
    this.#last = key;
    for (const oldest of this.#views.keys()) {
      if (this.#views.size <= MAX_VIEWS) break;
      this.#views.delete(oldest);
    }
    return view;
  }

  #make(sources: readonly string[], current: ReadonlyMap<string, Snapshot>): View {
    // A view that nobody asks for any more must not keep what was listed once.
    for (const [key, view] of this.#views) {
      if (!view.isOf(current)) this.#views.delete(key);
    }
    return new View(sources, current);
  }
}
