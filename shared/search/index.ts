/** Search for tools by keywords and by meaning, for the optimizer of a gateway and for `lintel find`. Pure: no files, network or clock. */
export {
  EMBEDDING_PROTOCOLS,
  type EmbeddingProtocol,
  type EmbeddingProvider,
  EmbeddingResponseError,
  type EmbeddingTraits,
  formatEmbeddingUrl,
} from './embedding-protocol.ts';
export { findOvershadowedTools } from './overshadowed-tools.ts';
export type { ToolQuery } from './query.ts';
export { queryTerms } from './query.ts';
export type { Hit } from './ranking.ts';
export type { Selection } from './selection.ts';
export { computeTokenMetrics, estimateTokens, type TokenMetrics } from './token-metrics.ts';
export { type SearchSettings, ToolIndex, type ToolSearch } from './tool-index.ts';
export { type ToolDefinition, toEmbeddedQuery, toEmbeddedText } from './tool-text.ts';
export { isDirection, VectorTable } from './vector-table.ts';
export { extractTerms, stemWord } from './words.ts';
