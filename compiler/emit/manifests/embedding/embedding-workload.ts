import type { EmbeddingServer } from '#schemas';

/** The spec of an EmbeddingServer with the schema's defaults. */
export type EmbeddingSpec = NonNullable<EmbeddingServer['spec']>;

/** The parts of an EmbeddingServer that its manifests depend on. */
export interface EmbeddingWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly spec: EmbeddingSpec;
}

/** Each pod's volume claim for downloaded models. */
export const MODEL_CACHE = 'model-cache';
