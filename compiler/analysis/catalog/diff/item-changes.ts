import { type CatalogItem, formatCanonicalJson, getMember } from '#schemas';
import type { ItemKind } from '../item-kinds.ts';
import { diffAnnotations } from './annotation-changes.ts';
import type { Change } from './change.ts';
import { escapeInvisible, formatValue } from './escape-invisible.ts';
import { diffSchemas } from './schema-changes.ts';
import { diffTexts } from './text-changes.ts';

/** The changes between two definitions of one name: alarming ones first, then by member. */
export function diffItem(noun: ItemKind['noun'], before: CatalogItem, after: CatalogItem): readonly Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changes = names
    .filter(name => toText(getMember(before, name)) !== toText(getMember(after, name)))
    .flatMap(name => diffMembers(noun, name, before, after));
  return [...changes.filter(({ alarm }) => alarm), ...changes.filter(({ alarm }) => !alarm)];
}

function diffMembers(noun: ItemKind['noun'], name: string, before: CatalogItem, after: CatalogItem): Change[] {
  const [old, now] = [getMember(before, name), getMember(after, name)];
  if (name === 'description' || name === 'title') return diffTexts(name, old, now);
  if (noun === 'tool' && name === 'annotations') return diffAnnotations(before, after);
  if (noun === 'tool' && name === 'inputSchema' && old !== undefined) return diffSchemas('input', old, now);
  if (noun === 'tool' && name === 'outputSchema' && old !== undefined && now !== undefined) {
    return diffSchemas('output', old, now);
  }
  const part = escapeInvisible(name);
  if (old === undefined) return [{ part, text: `added: ${formatValue(now)}` }];
  if (now === undefined) return [{ part, text: `removed, was ${formatValue(old)}` }];
  return [{ part, text: `${formatValue(old)} -> ${formatValue(now)}` }];
}

function toText(value: unknown): string | undefined {
  return value === undefined ? undefined : formatCanonicalJson(value);
}
