/** How a JSON Schema of a tool changed, property by property. */
import { formatCanonicalJson, getMember, isObject } from '#schemas';
import type { Change } from './change.ts';
import { escapeInvisible, formatValue } from './escape-invisible.ts';
import { diffTexts } from './text-changes.ts';

/** Keywords that are reported for each property instead. */
const APART: readonly string[] = ['properties', 'required', 'items'];

/**
 * @param side `input` or `output`, the first word of every part's name
 * @param path of the property, such as `repo.owner` or `labels[]`; empty for the whole schema
 */
export function diffSchemas(side: string, before: unknown, after: unknown, path = ''): Change[] {
  const part = path === '' ? side : `${side} ${escapeInvisible(path)}`;
  if (!isObject(before) || !isObject(after)) {
    return isSame(before, after) ? [] : [{ part, text: `${formatValue(before)} -> ${formatValue(after)}` }];
  }
  const inside = (name: string) => (path === '' ? name : `${path}.${name}`);
  const keywords = listMemberNames(before, after).filter(name => !APART.includes(name) || isOdd(name, before, after));
  return [
    ...keywords.flatMap(name => diffKeyword(part, name, getMember(before, name), getMember(after, name))),
    ...diffProperties(side, before, after, inside),
    ...diffItemSchemas(side, before, after, path),
  ];
}

/** A keyword with an invalid value is shown verbatim. */
function isOdd(name: string, ...schemas: readonly object[]): boolean {
  const values = schemas.map(schema => getMember(schema, name)).filter(value => value !== undefined);
  return values.some(value => (name === 'required' ? !Array.isArray(value) : !isObject(value)));
}

function diffProperties(side: string, before: object, after: object, inside: (name: string) => string): Change[] {
  const [old, now] = [getMember(before, 'properties'), getMember(after, 'properties')];
  return listMemberNames(old, now).flatMap((name): Change[] => {
    const part = `${side} ${escapeInvisible(inside(name))}`;
    const [oldSchema, nowSchema] = [getMember(old, name), getMember(now, name)];
    const [wasRequired, isRequired] = [requires(before, name), requires(after, name)];
    const word = isRequired ? 'required' : 'optional';
    if (oldSchema === undefined) return [{ part, text: `added, ${word}${formatType(nowSchema)}` }];
    if (nowSchema === undefined) return [{ part, text: 'removed' }];
    const required = wasRequired === isRequired ? [] : [{ part, text: `is now ${word}` }];
    return [...required, ...diffSchemas(side, oldSchema, nowSchema, inside(name))];
  });
}

function diffItemSchemas(side: string, before: object, after: object, path: string): Change[] {
  const [old, now] = [getMember(before, 'items'), getMember(after, 'items')];
  if (old === undefined && now === undefined) return [];
  if (isOdd('items', before, after)) return [];
  return diffSchemas(side, old ?? {}, now ?? {}, `${path}[]`);
}

function diffKeyword(part: string, name: string, before: unknown, after: unknown): Change[] {
  if (isSame(before, after)) return [];
  if (name === 'description' || name === 'title') {
    return diffTexts(part, before, after).map(change => ({ ...change, text: `${name} ${change.text}` }));
  }
  if (name === 'enum' && Array.isArray(before) && Array.isArray(after)) return diffEnums(part, before, after);
  if (before === undefined) return [{ part, text: `${name} added: ${formatValue(after)}` }];
  if (after === undefined) return [{ part, text: `${name} removed, was ${formatValue(before)}` }];
  return [{ part, text: `${name} ${formatValue(before)} -> ${formatValue(after)}` }];
}

function diffEnums(part: string, before: readonly unknown[], after: readonly unknown[]): Change[] {
  const less = before.filter(value => !after.some(other => isSame(value, other)));
  const more = after.filter(value => !before.some(other => isSame(value, other)));
  if (less.length + more.length === 0) return [{ part, text: 'enum in another order' }];
  const texts = [
    ...(more.length > 0 ? [`${more.map(formatValue).join(', ')} allowed`] : []),
    ...(less.length > 0 ? [`${less.map(formatValue).join(', ')} no longer allowed`] : []),
  ];
  return [{ part, text: texts.join('; ') }];
}

function formatType(schema: unknown): string {
  const type = getMember(schema, 'type');
  return typeof type === 'string' ? `, ${escapeInvisible(type)}` : '';
}

function requires(schema: object, name: string): boolean {
  const required = getMember(schema, 'required');
  return Array.isArray(required) && required.includes(name);
}

function listMemberNames(...values: readonly unknown[]): string[] {
  return [...new Set(values.flatMap(value => (isObject(value) ? Object.keys(value) : [])))].sort();
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return a === b;
  return formatCanonicalJson(a) === formatCanonicalJson(b);
}
