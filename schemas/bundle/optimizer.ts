/** The optimizer: `find_tool` and `call_tool` in place of the list of tools. */

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
}
