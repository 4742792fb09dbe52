import type { Hit } from './ranking.ts';

/** How soon later ranks by meaning count less: the sixth counts half of the first. */
const RANK_OFFSET = 5;

/**
 * Hits by keywords and by meaning as one list: what both find comes before what one finds as well. By keywords a hit counts by its score, as
 * a share of the best one's: these scores tell how much surer the first is than the second. Distances of meaning do not, they lie close
 * together, so that a hit by meaning counts by its rank.
 *
 * At a ratio of 0 these are the hits by keywords, at 1 those by meaning, in their order and without any other.
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
