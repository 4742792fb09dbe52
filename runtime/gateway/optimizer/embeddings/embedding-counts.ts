import { Histogram } from '../../../observe/metrics/histogram.ts';

/** The purpose of a request: texts of tools, or an agent's description. */
export type EmbeddingPurpose = 'text' | 'query';
export type EmbeddingResult = 'success' | 'error';

/** Requests to the embedding service since the start. */
export class EmbeddingCounts {
  readonly #seconds: Readonly<Record<EmbeddingPurpose, Readonly<Record<EmbeddingResult, Histogram>>>> = {
    text: { success: new Histogram(), error: new Histogram() },
    query: { success: new Histogram(), error: new Histogram() },
  };

  add(purpose: EmbeddingPurpose, result: EmbeddingResult, seconds: number): void {
    this.#seconds[purpose][result].observe(seconds);
  }

  *all(): Iterable<{
    readonly purpose: EmbeddingPurpose;
    readonly result: EmbeddingResult;
    readonly seconds: Histogram;
  }> {
    for (const purpose of ['text', 'query'] as const)
      for (const result of ['success', 'error'] as const)
        yield { purpose, result, seconds: this.#seconds[purpose][result] };
  }
}
