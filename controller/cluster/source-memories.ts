/** What the controller remembers of each source while its object is there. */
import {
  createReconcileCache,
  type Destination,
  type ObservedSource,
  type ReconcileCache,
  type ReconcileReport,
} from '../reconcile/index.ts';
import { namespacedName } from './names.ts';

export interface SourceMemory {
  readonly uid: string;
  readonly cache: ReconcileCache;
  /** With what of the source it was made from. */
  destination?: { readonly madeFrom: string; readonly destination: Destination };
  /** What the last run was about. */
  reported?: Pick<ReconcileReport, 'outcome' | 'tree'>;
}

export class SourceMemories {
  readonly #onForgotten: (name: string, uid: string) => void;
  /** By `namespace/name`. */
  readonly #memories = new Map<string, SourceMemory>();

  constructor(onForgotten: (name: string, uid: string) => void) {
    this.#onForgotten = onForgotten;
  }

  /** Undefined for a source that was not reconciled yet. */
  find(name: string): SourceMemory | undefined {
    return this.#memories.get(name);
  }

  /** Another object of the same name begins with nothing. */
  of(source: ObservedSource): SourceMemory {
    const name = namespacedName(source);
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
