import type { RegistryEntry, RegistryFilterPlan } from '../bundle/registry.ts';
import { readTags } from './entry.ts';

/** Whether a filter admits a server: exclusion wins, and an empty `include` admits everything. */
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
 * Whether a name matches a pattern in which `*` stands for any text, slashes included, and every other character for itself. The time is
 * proportional to the lengths; a regular expression with many stars would take much longer.
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
