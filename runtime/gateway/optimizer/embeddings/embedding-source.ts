import type { EmbeddingTraits } from '#search';
import type { EmbeddingCounts } from './embedding-counts.ts';

/** What embeds: a service, or another process of the same gateway that asks one. */
export interface EmbeddingSource {
  /** Requests that this process has sent to the service. */
  readonly counts: EmbeddingCounts;
  /** Whether it can be asked what it is; else that stands in the plan. */
  readonly saysWhatItIs: boolean;
  /**
   * The traits that the service reports. When it names another model, earlier vectors must not be compared with later ones.
   *
   * @throws EmbeddingError by rejecting
   */
  traits(): Promise<EmbeddingTraits>;
  /**
   * @returns a vector for each text, in their order, all of one length
   * @throws TextsRefusedError, EmbeddingError by rejecting
   */
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
  /**
   * The vector of what an agent looks for.
   *
   * @throws TextsRefusedError, EmbeddingError by rejecting
   */
  embedQuery(text: string): Promise<ArrayLike<number>>;
  /**
   * Resolves when it works.
   *
   * @throws TextsRefusedError, EmbeddingError by rejecting
   */
  probe(): Promise<void>;
  /** Requests under way fail. */
  close(): Promise<void>;
}
