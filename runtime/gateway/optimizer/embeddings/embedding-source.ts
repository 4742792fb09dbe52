import type { EmbeddingTraits } from '#shared/search';
import type { EmbeddingCounts } from './embedding-counts.ts';

/** A source of embeddings: a service, or another process of the same gateway that uses one. */
export interface EmbeddingSource {
  /** Counts of requests from this process to the service. */
  readonly counts: EmbeddingCounts;
  /** Whether the source reports its model; otherwise the plan contains it. */
  readonly saysWhatItIs: boolean;
  /**
   * The model that the service reports. When it changes, vectors of the former model must not be compared with those of the new one.
   *
   * @throws EmbeddingError by rejecting
   */
  traits(): Promise<EmbeddingTraits>;
  /**
   * Embeds texts.
   * @returns a vector for each text, in their order, all of one length
   * @throws TextsRefusedError, EmbeddingError by rejecting
   */
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
  /**
   * The vector of an agent's description.
   * @throws TextsRefusedError, EmbeddingError by rejecting
   */
  embedQuery(text: string): Promise<ArrayLike<number>>;
  /**
   * Resolves when the service works.
   * @throws TextsRefusedError, EmbeddingError by rejecting
   */
  probe(): Promise<void>;
  /** Closes the source; running requests fail. */
  close(): Promise<void>;
}
