import { ESCAPE_HATCHES_ANNOTATION, getMember } from '#schemas';
import type { Path } from '../source/source-document.ts';

/**
 * The paths of an object that a program set by a JSON patch, as its construct recorded them.
 * @param object as parsed
 * @returns sorted RFC 6901 pointers; `malformed` for an invalid annotation
 */
export function readEscapeHatches(object: unknown): readonly string[] | 'malformed' {
  const text = getMember(getMember(getMember(object, 'metadata'), 'annotations'), ESCAPE_HATCHES_ANNOTATION);
  if (text === undefined) return [];
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch {
    return 'malformed';
  }
  if (!Array.isArray(value)) return 'malformed';
  const pointers = value.filter(item => typeof item === 'string' && (item === '' || item.startsWith('/')));
  return pointers.length === value.length ? (pointers as string[]).toSorted() : 'malformed';
}

/** The steps of a pointer, with numbers for list indices. */
export function resolvePointerPath(object: unknown, pointer: string): Path {
  const path: (string | number)[] = [];
  let value = object;
  for (const escaped of pointer.split('/').slice(1)) {
    const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    const step = Array.isArray(value) && /^\d+$/.test(name) ? Number(name) : name;
    path.push(step);
    value = Array.isArray(value) ? value[Number(name)] : getMember(value, name);
  }
  return path;
}
