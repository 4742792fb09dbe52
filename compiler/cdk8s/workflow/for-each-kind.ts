import type { ValueKind } from '../tool.ts';

/** What a forEach gives, of which the templates count some themselves. */
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
