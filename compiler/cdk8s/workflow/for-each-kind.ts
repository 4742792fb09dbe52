import type { ValueKind } from '../tool.ts';

/** The output of a `forEach`, some fields of which templates count themselves. */
export function forEachKind(item: ValueKind | undefined, output: ValueKind | undefined): ValueKind {
  const iteration = {
    index: 'count',
    status: 'string',
    error: 'string',
    ...(item !== undefined && { item }),
    ...(output !== undefined && { output }),
  } as const;
  return { iterations: [iteration], count: 'count', completed: 'count', failed: 'count' };
}
