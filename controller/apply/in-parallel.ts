/**
 * Does `work` for every item, at most `limit` at a time. What fails does not keep the others from ending: the outcomes are in the
 * order of the items.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<readonly PromiseSettledResult<R>[]> {
  const outcomes: PromiseSettledResult<R>[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const at = next++;
      outcomes[at] = await settled(work, items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return outcomes;
}

async function settled<T, R>(work: (item: T) => Promise<R>, item: T): Promise<PromiseSettledResult<R>> {
  try {
    return { status: 'fulfilled', value: await work(item) };
  } catch (reason) {
    return { status: 'rejected', reason };
  }
}
