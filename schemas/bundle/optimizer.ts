/** The optimizer: `find_tool` and `call_tool` in place of the list of tools. */
import type { AddressPolicy } from '../addresses.ts';
import type { SecretSource } from './secret-source.ts';

/** What clients see in place of the tools. */
export const FIND_TOOL = 'find_tool';
export const CALL_TOOL = 'call_tool';

export interface OptimizerPlan {
  /** Tools that one search returns at most; at least 1. */
  readonly maxTools: number;
  /** Weight of meaning against keywords, from 0 (keywords only) to 1 (meaning only). */
  readonly semanticRatio: number;
  /** Largest cosine distance of a hit by meaning, from 0 to 2. */
  readonly distanceThreshold: number;
  /** Absent where tools are found by keywords only. */
  readonly embeddings?: EmbeddingPlan;
}

/** A service that texts are sent to, and that answers with vectors. */
export interface EmbeddingPlan {
  readonly provider: 'tei' | 'openai';
  /** http or https, without a slash at its end. */
  readonly url: string;
  /** Model to ask for; null where the service has one alone. */
  readonly model: string | null;
  /** Sorted by name, in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Bearer token; where its variable is not set, requests have none. Null where they never have one. */
  readonly apiKey: SecretSource | null;
  /** Longest request, at least 1; milliseconds. */
  readonly timeoutMs: number;
  readonly addresses: AddressPolicy;
}
