import type { VectorTable } from '#shared/search';
import { digestText } from '../gateway/optimizer/embeddings/embedded-texts.ts';
import type { Embedder, EmbedderListener } from '../gateway/optimizer/embeddings/embedder.ts';
import { EmbeddingError, TextsRefusedError } from '../gateway/optimizer/embeddings/embedding-error.ts';
import type { EmbeddingOrigin, EmbeddingResponse } from './messages.ts';

/** The embedder of one plan in the primary process. Several workers may wait for the vectors of the same texts. */
export class SharedEmbeddings implements EmbedderListener {
  readonly embedder: Embedder;
  /** The keys of the texts that workers have requested, the latest request last. */
  #requestedKeys = new Set<string>();
  /** One function for each waiting request; it answers the request if possible, and returns whether it has. */
  readonly #waiting = new Set<() => boolean>();
  /** How often all stored vectors have become invalid. It is a part of the origin: workers cannot compare their old vectors with new ones. */
  #losses = 0;
  #dimensions: number | undefined;
  #isClosed = false;

  /** @param embedder closed together with this object */
  constructor(embedder: Embedder) {
    this.embedder = embedder;
    embedder.listener = this;
  }

  origin(): Promise<EmbeddingOrigin> {
    return this.#when(() => {
      const { isReady, traits } = this.embedder;
      return isReady && traits !== undefined ? { origin: this.#origin, maxBatch: traits.maxBatch } : undefined;
    });
  }

  embed(texts: readonly string[]): Promise<EmbeddingResponse> {
    const entries = texts.map(text => [digestText(text), text] as const);
    for (const [key] of entries) {
      this.#requestedKeys.delete(key);
      this.#requestedKeys.add(key);
    }
    return this.#when(() => this.#findVectors(entries));
  }

  async embedQuery(text: string): Promise<EmbeddingResponse> {
    const vector = await this.embedder.findQueryVector(text);
    if (vector === undefined) throw new EmbeddingError(this.embedder.problem ?? 'no text is embedded yet');
    return { origin: this.#origin, vectors: [toBase64(Float32Array.from(vector))] };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.progressed();
    await this.embedder.close();
  }

  embedded(): void {}

  replaced(table: VectorTable | undefined): void {
    if (this.#dimensions !== undefined && table?.dimensions !== this.#dimensions) this.#losses++;
    this.#dimensions = table?.dimensions;
    // The vectors may have been read from the disk, so waiting requests may now have their answers.
    this.progressed();
  }

  /**
   * The keys of texts whose vectors stay when room is needed. The primary does not know which texts the workers still search, so it keeps the half that
   * was requested last. The other texts are embedded again if a worker requests them.
   */
  keysInUse(): Iterable<string> {
    const keys = [...this.#requestedKeys];
    this.#requestedKeys = new Set(keys.slice(Math.ceil(keys.length / 2)));
    return this.#requestedKeys;
  }

  progressed(): void {
    for (const trySettle of [...this.#waiting]) if (trySettle()) this.#waiting.delete(trySettle);
  }

  get #origin(): string {
    const { plan, traits } = this.embedder;
    return `${traits?.model ?? plan.url} ${this.#losses}`;
  }

  #findVectors(entries: readonly (readonly [key: string, text: string])[]): EmbeddingResponse | undefined {
    const { embedder } = this;
    const vectors: string[] = [];
    for (const [key, text] of entries) {
      if (embedder.isRefused(key)) throw new TextsRefusedError('the embedding service does not accept a text');
      const row = embedder.findRow(key);
      if (row === undefined) embedder.want(key, text);
      else vectors.push(toBase64((embedder.table as VectorTable).getVector(row)));
    }
    return vectors.length === entries.length ? { origin: this.#origin, vectors } : undefined;
  }

  /** Resolves with the value once it exists; rejects with the reason why the service does not answer. */
  #when<T>(read: () => T | undefined): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const trySettle = (): boolean => {
      try {
        const { problem } = this.embedder;
        const found = this.#isClosed ? undefined : read();
        if (found !== undefined) resolve(found);
        else if (this.#isClosed || problem !== undefined)
          reject(new EmbeddingError(problem ?? 'another bundle is served meanwhile'));
        else return false;
      } catch (error) {
        reject(error);
      }
      return true;
    };
    if (!trySettle()) this.#waiting.add(trySettle);
    return promise;
  }
}

function toBase64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
