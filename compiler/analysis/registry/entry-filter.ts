import type { RegistryFilterPlan, RegistrySource } from '#schemas';

/** The filter of a source as a plan: lists that are not given are empty. */
export function toFilterPlan(filter: RegistrySource['filter']): RegistryFilterPlan {
  const lists = (list: 'names' | 'tags') => {
    return { include: filter?.[list]?.include ?? [], exclude: filter?.[list]?.exclude ?? [] };
  };
  return { names: lists('names'), tags: lists('tags') };
}
