import pLimit from 'p-limit';

/** Runs `work` for every item, at most `limit` at a time. A failure does not stop the others; outcomes are in item order. */
export async function runInParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> {
  const inTurn = pLimit(limit);
  return await Promise.allSettled(items.map(item => inTurn(work, item)));
}
