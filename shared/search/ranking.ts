/** A document that a search found. */
export interface Hit {
  /** Position in the searched selection. */
  readonly position: number;
  /** Higher is better; comparable only within one search. */
  readonly score: number;
}

/** The best of many documents: a heap with the worst of them on top. */
export class Ranking {
  readonly #limit: number;
  readonly #heap: Hit[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(position: number, score: number): void {
    const heap = this.#heap;
    if (heap.length < this.#limit) {
      heap.push({ position, score });
      this.#rise(heap.length - 1);
    } else if (heap.length > 0 && isBetter(position, score, heap[0] as Hit)) {
      heap[0] = { position, score };
      this.#sinkDown();
    }
  }

  /** The hits, best first; of equal hits, the one that is earlier in the selection first. */
  listHits(): readonly Hit[] {
    return this.#heap.toSorted((a, b) => b.score - a.score || a.position - b.position);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBetter((heap[parent] as Hit).position, (heap[parent] as Hit).score, heap[at] as Hit)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sinkDown(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let worst = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const other = heap[child];
        const { position, score } = heap[worst] as Hit;
        if (other !== undefined && isBetter(position, score, other)) worst = child;
      }
      if (worst === at) return;
      this.#swap(at, worst);
      at = worst;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b] as Hit, heap[a] as Hit];
  }
}

function isBetter(position: number, score: number, than: Hit): boolean {
  return score > than.score || (score === than.score && position < than.position);
}
