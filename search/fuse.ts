import type { Hit } from './ranking.ts';

/** How little the first ranks differ: the usual 60 is for lists of hundreds, and of tools eight are returned. */
const RANK_OFFSET = 10;

/**
 * Hits by keywords and by meaning as one list, by reciprocal ranks: what both find comes before what one finds at the same rank.
 * At a ratio of 0 these are the hits by keywords, at 1 those by meaning, in their order and without any other.
 *
 * @see https://doi.org/10.1145/1571941.1572114
 * @param ratio weight of meaning, from 0 to 1
 */
export function fuse(keyword: readonly Hit[], semantic: readonly Hit[], ratio: number, limit: number): readonly Hit[] {
  const scores = new Map<number, number>();
  const lists = [
    { hits: keyword, weight: 1 - ratio },
    { hits: semantic, weight: ratio },
  ];
  for (const { hits, weight } of lists) {
    if (weight === 0) continue;
    for (const [rank, { position }] of hits.entries()) {
      scores.set(position, (scores.get(position) ?? 0) + weight / (RANK_OFFSET + rank));
    }
  }
  return [...scores]
    .map(([position, score]) => ({ position, score }))
    .sort((a, b) => b.score - a.score || a.position - b.position)
    .slice(0, limit);
}
