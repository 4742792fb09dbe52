/** A cache of views; all callers who may see the same sources share one view. */
import { LRUCache } from 'lru-cache';
import type { Snapshot } from '../snapshot.ts';
import { View } from './view.ts';

/** Maximum number of cached views; the least recently used one is removed. */
export const MAX_VIEWS = 32;

export class Views {
  readonly #snapshots: () => ReadonlyMap<string, Snapshot>;
  /** Keys are the names of the sources, joined by line feeds, which names do not contain. */
  readonly #views = new LRUCache<string, View>({ max: MAX_VIEWS });

  constructor(snapshots: () => ReadonlyMap<string, Snapshot>) {
    this.#snapshots = snapshots;
  }

  /** The current view of these sources, in order of precedence; the same object while the sources are unchanged. */
  get(sources: readonly string[]): View {
    const current = this.#snapshots();
    const key = sources.join('\n');
    const cachedView = this.#views.get(key);
    if (cachedView?.isBuiltFrom(current) === true) return cachedView;
    const view = this.#make(sources, current);
    this.#views.set(key, view);
    return view;
  }

  #make(sources: readonly string[], current: ReadonlyMap<string, Snapshot>): View {
    // Drops outdated views, so that they do not keep old snapshots in memory.
    for (const [key, view] of this.#views.entries()) {
      if (!view.isBuiltFrom(current)) this.#views.delete(key);
    }
    return new View(sources, current);
  }
}
