/** The optimizer: clients see `find_tool` and `call_tool` in place of the list of tools. */
import type { AddressPolicy } from '../addresses.ts';
import type { SecretSource } from './secret-source.ts';

/** The two tools that clients see. */
export const FIND_TOOL = 'find_tool';
export const CALL_TOOL = 'call_tool';

export interface OptimizerPlan {
  /** Maximum number of tools that one search returns; at least 1. */
  readonly maxTools: number;
  /** Weight of meaning against keywords, from 0 (keywords only) to 1 (meaning only). */
  readonly semanticRatio: number;
  /** Largest cosine distance of a hit by meaning, from 0 to 2. */
  readonly distanceThreshold: number;
  /** The embedding service; absent when the optimizer searches by keywords only. */
  readonly embeddings?: EmbeddingPlan;
}

/** A service that computes vectors for texts. */
export interface EmbeddingPlan {
  readonly provider: 'tei' | 'openai';
  /** An http or https URL without a slash at its end. */
  readonly url: string;
  /** The model to request; null when the service has only one. */
  readonly model: string | null;
  /** Headers of every request, sorted by their names, which are in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Bearer token. When its variable is not set, requests have no token. Null when no token is configured. */
  readonly apiKey: SecretSource | null;
  /** Time limit of a request; milliseconds, at least 1. */
  readonly timeoutMs: number;
  readonly addresses: AddressPolicy;
}
