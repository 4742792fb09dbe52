import type { Inventory } from '../resolve/inventory.ts';
import type { QueryCache } from '../resolve/query-cache.ts';
import { DependencyTracker } from './dependency-tracker.ts';

/**
 * Caches the result that was computed from a subject, such as an object, as long as the subject exists. A cached result is returned while the
 * inventory gives the same results to the queries that the computation made.
 */
export class MemoizedQueries implements QueryCache {
  readonly #steps = new Map<
    string,
    WeakMap<object, { readonly result: unknown; readonly witness?: DependencyTracker }>
  >();

  getOrCompute<T>(step: string, subject: object, compute: () => T): T {
    const results = this.#getResults(step);
    const known = results.get(subject);
    if (known !== undefined) return known.result as T;
    const result = compute();
    results.set(subject, { result });
    return result;
  }

  getOrComputeAmong<T>(step: string, subject: object, inventory: Inventory, compute: (inventory: Inventory) => T): T {
    const results = this.#getResults(step);
    const known = results.get(subject);
    if (known?.witness?.moveTo(inventory) === true) return known.result as T;
    const witness = new DependencyTracker(inventory);
    const result = compute(witness);
    results.set(subject, { result, witness });
    return result;
  }

  forget(step: string): void {
    this.#steps.delete(step);
  }

  #getResults(step: string) {
    const known = this.#steps.get(step);
    if (known !== undefined) return known;
    const results = new WeakMap<object, { readonly result: unknown; readonly witness?: DependencyTracker }>();
    this.#steps.set(step, results);
    return results;
  }
}
