/** The controller's in-memory state of each source while its object exists. */
import {
  createReconcileCache,
  type Destination,
  type ObservedSource,
  type ReconcileCache,
  type ReconcileReport,
} from '../reconcile/index.ts';
import { formatNamespacedName } from './names.ts';

export interface InMemorySourceState {
  readonly uid: string;
  readonly cache: ReconcileCache;
  /** The destination, with the source properties that it was created from. */
  destination?: { readonly madeFrom: string; readonly destination: Destination };
  /** The outcome of the last reconcile. */
  reported?: Pick<ReconcileReport, 'outcome' | 'tree'>;
}

export class InMemorySourceStates {
  readonly #onForgotten: (name: string, uid: string) => void;
  /** States, by `namespace/name` of the source. */
  readonly #memories = new Map<string, InMemorySourceState>();

  constructor(onForgotten: (name: string, uid: string) => void) {
    this.#onForgotten = onForgotten;
  }

  /** The state of a source; undefined when it was not reconciled yet. */
  find(name: string): InMemorySourceState | undefined {
    return this.#memories.get(name);
  }

  /** The state of a source. A source that was deleted and created again under the same name starts with an empty state. */
  getOrCreate(source: ObservedSource): InMemorySourceState {
    const name = formatNamespacedName(source);
    const { uid = '' } = source.metadata;
    const known = this.#memories.get(name);
    if (known?.uid === uid) return known;
    if (known !== undefined) this.forget(name);
    const fresh = { uid, cache: createReconcileCache() };
    this.#memories.set(name, fresh);
    return fresh;
  }

  forget(name: string): void {
    const { uid = '' } = this.#memories.get(name) ?? {};
    this.#memories.delete(name);
    this.#onForgotten(name, uid);
  }
}
