import type { EmbeddingServer } from '#schemas';

/** With the defaults of the schema. */
export type EmbeddingSpec = NonNullable<EmbeddingServer['spec']>;

/** An EmbeddingServer as far as its manifests depend on it. */
export interface EmbeddingWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly spec: EmbeddingSpec;
}

/** The claim of each pod for the models that it downloads. */
export const MODEL_CACHE = 'model-cache';
