import type { RegistryEntry, RegistryFilterPlan } from '../bundle/registry.ts';
import { readTags } from './entry.ts';

/** Whether a filter takes a server: exclusion wins, and an empty `include` takes everything. */
export function passesFilter(filter: RegistryFilterPlan, server: RegistryEntry['server']): boolean {
  const { names, tags } = filter;
  if (!passes(names, pattern => fitsPattern(pattern, server.name))) return false;
  if (tags.include.length === 0 && tags.exclude.length === 0) return true;
  const own = readTags(server);
  return passes(tags, tag => own.includes(tag));
}

function passes(lists: RegistryFilterPlan['names'], fits: (word: string) => boolean): boolean {
  return !lists.exclude.some(fits) && (lists.include.length === 0 || lists.include.some(fits));
}

/**
 * Whether a name fits a pattern in which `*` stands for any text, a slash included, and all else for itself. It takes time in
 * proportion to the lengths, which a regular expression of many stars would not.
 */
export function fitsPattern(pattern: string, name: string): boolean {
  const parts = pattern.split('*');
  const [head = '', ...others] = parts;
  const tail = others.pop();
  if (tail === undefined) return name === pattern;
  if (name.length < head.length + tail.length || !name.startsWith(head) || !name.endsWith(tail)) return false;
  const end = name.length - tail.length;
  let from = head.length;
  for (const part of others) {
    const found = name.indexOf(part, from);
    if (found < 0 || found + part.length > end) return false;
    from = found + part.length;
  }
  return true;
}
