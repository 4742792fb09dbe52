/** The views that are in use, shared by all callers who may see the same sources. */
import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../snapshot.ts';
import { View } from './view.ts';

/** Views that are kept; the one that was used longest ago goes. */
export const MAX_VIEWS = 32;

export class Views {
  readonly #snapshots: () => ReadonlyMap<string, Snapshot>;
  /** By the names of the sources, which hold no line feed. */
  readonly #views = new LRUCache<string, View>({ max: MAX_VIEWS });

  constructor(snapshots: () => ReadonlyMap<string, Snapshot>) {
    this.#snapshots = snapshots;
  }

  /** The current view of these sources, best first; the same object while they are unchanged. */
  get(sources: readonly string[]): View {
    const current = this.#snapshots();
    const key = sources.join('\n');
    const kept = this.#views.get(key);
    if (kept?.isBuiltFrom(current) === true) return kept;
    const view = this.#make(sources, current);
    this.#views.set(key, view);
    return view;
  }

  #make(sources: readonly string[], current: ReadonlyMap<string, Snapshot>): View {
    // An unused view must not retain former lists.
    for (const [key, view] of this.#views.entries()) {
      if (!view.isBuiltFrom(current)) this.#views.delete(key);
    }
    return new View(sources, current);
  }
}
