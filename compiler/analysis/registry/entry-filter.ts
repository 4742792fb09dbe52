import type { RegistryFilterPlan, RegistrySource } from '#schemas';

/** The plan of a source's filter; missing lists are empty. */
export function toFilterPlan(filter: RegistrySource['filter']): RegistryFilterPlan {
  const lists = (list: 'names' | 'tags') => {
    return { include: filter?.[list]?.include ?? [], exclude: filter?.[list]?.exclude ?? [] };
  };
  return { names: lists('names'), tags: lists('tags') };
}
