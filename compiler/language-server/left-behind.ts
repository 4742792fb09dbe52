import { getHeapStatistics } from 'node:v8';
import { collectGarbage } from '#util';

/** Bytes: as much as some fifty changes among a thousand gateways leave behind. Collecting it takes a tenth of a second. */
const MUCH = 100_000_000;

/**
 * Collects what compilations have left behind, between two of them. V8 would wait until the heap is several times what is in use, which an
 * editor keeps for a day; here a person waits for nothing, since the answer has been sent.
 */
export class LeftBehind {
  readonly #usedBytes: () => number;
  readonly #collect: () => void;
  /** After the last time. */
  #inUse = 0;

  constructor(
    usedBytes: () => number = () => getHeapStatistics().used_heap_size,
    collect: () => void = collectGarbage,
  ) {
    this.#usedBytes = usedBytes;
    this.#collect = collect;
  }

  /** @returns whether it was much */
  collectIfMuch(): boolean {
    if (this.#usedBytes() - this.#inUse < MUCH) return false;
    this.#collect();
    this.#inUse = this.#usedBytes();
    return true;
  }
}
