/** Embeds the texts of tools in the primary process for all workers, and stores the vectors. */
import { type EmbeddingPlan, formatCanonicalJson, type GatewayBundle } from '#schemas';
import type { EmbedderStatus } from '../gateway/optimizer/embeddings/embedder.ts';
import type { EmbeddingOptions } from '../gateway/optimizer/open-optimizer.ts';
import type { Metric } from '../observe/metrics/metric.ts';
import { listEmbeddingMetrics } from '../observe/optimizer-metrics.ts';
import type { EmbeddingCall, EmbeddingOrigin, EmbeddingResponse } from './messages.ts';
import { SharedEmbeddings } from './shared-embeddings.ts';

export class EmbeddingHost {
  readonly #options: EmbeddingOptions;
  /** The embedders by the JSON text of their plans: that of the current bundle, and during a swap also that of the next bundle. */
  readonly #shared = new Map<string, SharedEmbeddings>();
  #current: string | undefined;

  constructor(options: EmbeddingOptions) {
    this.#options = options;
  }

  /** The state of the current embedder; undefined if the bundle has no embeddings. */
  get status(): EmbedderStatus | undefined {
    return this.#now?.embedder.status;
  }

  metrics(): readonly Metric[] {
    return this.#now === undefined ? [] : listEmbeddingMetrics(this.#now.embedder);
  }

  /** Prepares the embeddings for workers that prepare a bundle. */
  async prepare({ optimizer }: Pick<GatewayBundle, 'optimizer'>): Promise<{
    use(): void;
    closeFormer(): void;
    discard(): void;
  }> {
    const plan = optimizer?.embeddings;
    const next = plan && formatCanonicalJson(plan);
    if (plan !== undefined && next !== undefined && !this.#shared.has(next))
      this.#shared.set(next, await open(plan, this.#options));
    return {
      use: () => {
        this.#current = next;
      },
      closeFormer: () => this.#closeOthers(),
      discard: () => this.#closeOthers(),
    };
  }

  /** @throws EmbeddingError, as do the next two methods */
  origin(plan: string): Promise<EmbeddingOrigin> {
    return this.#getShared(plan).origin();
  }

  /** @throws TextsRefusedError */
  embed({ plan, texts }: EmbeddingCall): Promise<EmbeddingResponse> {
    return this.#getShared(plan).embed(texts);
  }

  /** @throws TextsRefusedError */
  embedQuery({ plan, text }: { readonly plan: string; readonly text: string }): Promise<EmbeddingResponse> {
    return this.#getShared(plan).embedQuery(text);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#shared.values()].map(shared => shared.close()));
  }

  get #now(): SharedEmbeddings | undefined {
    return this.#current === undefined ? undefined : this.#shared.get(this.#current);
  }

  #getShared(plan: string): SharedEmbeddings {
    const shared = this.#shared.get(plan);
    if (shared === undefined) throw new Error('another bundle is served meanwhile');
    return shared;
  }

  #closeOthers(): void {
    for (const [plan, shared] of this.#shared) {
      if (plan === this.#current) continue;
      this.#shared.delete(plan);
      shared
        .close()
        .catch((error: unknown) => this.#options.log.error({ err: error }, 'embeddings could not be stored'));
    }
  }
}

/** Opens an embedder. Its code is imported here, so that it is only loaded for bundles with embeddings. */
async function open(plan: EmbeddingPlan, options: EmbeddingOptions): Promise<SharedEmbeddings> {
  const { openEmbedder } = await import('../gateway/optimizer/open-optimizer.ts');
  return new SharedEmbeddings(openEmbedder(plan, options));
}
