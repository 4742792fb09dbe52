/** Average bytes of JSON per token. */
const BYTES_PER_TOKEN = 4;

/** How many tokens a search saves a model, as `find_tool` reports it. */
export interface TokenMetrics {
  /** The tokens of all tools that the caller may see. */
  readonly baseline_tokens: number;
  /** The tokens of the tools that were found. */
  readonly returned_tokens: number;
  readonly savings_percent: number;
}

/** About how many tokens the definition of a tool takes. */
export function estimateTokens(json: string): number {
  return Math.floor(Buffer.byteLength(json) / BYTES_PER_TOKEN);
}

export function computeTokenMetrics(baseline: number, returned: number): TokenMetrics {
  const share = baseline === 0 ? 0 : (1 - returned / baseline) * 100;
  return {
    baseline_tokens: baseline,
    returned_tokens: returned,
    savings_percent: Math.round(share * 100) / 100,
  };
}
