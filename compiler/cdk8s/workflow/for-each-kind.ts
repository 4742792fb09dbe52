import type { ValueKind } from '../tool.ts';

/** The type of the output of a `forEach`. Some of its fields are numbers that a Go template computes itself. */
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
