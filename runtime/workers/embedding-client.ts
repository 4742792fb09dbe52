/** The embedding service as a worker sees it: the worker asks the primary process, which embeds texts for all workers. */
import { type EmbeddingPlan, formatCanonicalJson } from '#schemas';
import type { EmbeddingTraits } from '#shared/search';
import { EmbeddingCounts } from '../gateway/optimizer/embeddings/embedding-counts.ts';
import { EmbeddingError, TextsRefusedError } from '../gateway/optimizer/embeddings/embedding-error.ts';
import type { EmbeddingSource } from '../gateway/optimizer/embeddings/embedding-source.ts';
import type { Channel } from './channel.ts';
import type { EmbeddingOrigin, EmbeddingResponse, PrimaryHandlers } from './messages.ts';

export class EmbeddingClient implements EmbeddingSource {
  /** Always zero, because the primary counts the requests to the service. */
  readonly counts: EmbeddingCounts = new EmbeddingCounts();
  readonly saysWhatItIs = true;
  readonly #primary: Channel<PrimaryHandlers>;
  readonly #plan: string;
  /** The origin (`EmbeddingResponse`) of the latest vectors. */
  #origin: string | undefined;
  /** Functions that abort the waiting requests. */
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(primary: Channel<PrimaryHandlers>, plan: EmbeddingPlan) {
    this.#primary = primary;
    this.#plan = formatCanonicalJson(plan);
  }

  async traits(): Promise<EmbeddingTraits> {
    const { origin, maxBatch } = await this.#getKnownOrigin();
    this.#origin = origin;
    return { model: origin, maxBatch };
  }

  async embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]> {
    return this.#decodeVectors(await this.#ask(() => this.#primary.ask('embed', { plan: this.#plan, texts })));
  }

  async embedQuery(text: string): Promise<ArrayLike<number>> {
    const answer = await this.#ask(() => this.#primary.ask('embedQuery', { plan: this.#plan, text }));
    return this.#decodeVectors(answer)[0] as ArrayLike<number>;
  }

  async probe(): Promise<void> {
    await this.#getKnownOrigin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const end of this.#waiting) end();
  }

  #getKnownOrigin(): Promise<EmbeddingOrigin> {
    return this.#ask(() => this.#primary.ask('embeddingOrigin', this.#plan));
  }

  /** Decodes vectors. Throws if their origin has changed; then the worker asks the primary again for the model and for the vectors of all texts. */
  #decodeVectors({ origin, vectors }: EmbeddingResponse): readonly ArrayLike<number>[] {
    if (origin !== this.#origin) throw new EmbeddingError('the embedding service uses another model now');
    return vectors.map(vector => new Float32Array(Uint8Array.from(Buffer.from(vector, 'base64')).buffer));
  }

  async #ask<T>(send: () => Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const end = () => reject(new EmbeddingError('the gateway needs no embeddings any more'));
    if (this.#isClosed) end();
    this.#waiting.add(end);
    try {
      return await Promise.race([send(), promise]);
    } catch (error) {
      const { name, message } = error as Error;
      throw name === 'TextsRefusedError' ? new TextsRefusedError(message) : new EmbeddingError(message);
    } finally {
      this.#waiting.delete(end);
    }
  }
}
