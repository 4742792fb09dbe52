import type { Hit } from './ranking.ts';

/** How fast the weight of ranks by meaning falls: the sixth rank has half the weight of the first. */
const RANK_OFFSET = 5;

/**
 * Merges hits by keywords and hits by meaning into one list: a tool that both searches find equally well comes before one that only one of them
 * finds.
 *
 * A hit by keywords is weighted by its score as a share of the best score, because these scores tell how much better the first hit is than the
 * second. Distances by meaning lie too close together for that, so a hit by meaning is weighted by its rank. A ratio of 0 gives only the hits by
 * keywords, a ratio of 1 only those by meaning, each in its own order.
 *
 * @param ratio weight of meaning, from 0 to 1
 */
export function fuse(keyword: readonly Hit[], semantic: readonly Hit[], ratio: number, limit: number): readonly Hit[] {
  const scores = new Map<number, number>();
  const add = ({ position }: Hit, score: number): void => {
    scores.set(position, (scores.get(position) ?? 0) + score);
  };
  const [best] = keyword;
  if (ratio < 1 && best !== undefined) for (const hit of keyword) add(hit, ((1 - ratio) * hit.score) / best.score);
  if (ratio > 0) for (const [rank, hit] of semantic.entries()) add(hit, (ratio * RANK_OFFSET) / (RANK_OFFSET + rank));
  return [...scores]
    .map(([position, score]) => ({ position, score }))
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, limit);
}
