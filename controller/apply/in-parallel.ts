import pLimit from 'p-limit';

/**
 * Does `work` for every item, at most `limit` at a time. What fails does not keep the others from ending: the outcomes are in the
 * order of the items.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> {
  const inTurn = pLimit(limit);
  return await Promise.allSettled(items.map(item => inTurn(work, item)));
}
