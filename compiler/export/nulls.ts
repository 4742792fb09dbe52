/** Which nulls of an object are meaningful: those in free-form fields. */
import { isObject, KNOWN_FIELDS } from '#schemas';
import type { Path } from '../source/source-document.ts';
import { formatPointer } from '../text/pointer.ts';
import type { Line } from './statement.ts';
import { call, plain } from './typescript/code.ts';
import { formatStringLiteral } from './typescript/literal.ts';

/** Whether a null at a path of one of Lintel's kinds has a meaning, so that constructs keep it. Any other null counts as an absent field. */
export function keepsNull(kind: string, [root, ...path]: Path): boolean {
  let shape = root === 'spec' ? KNOWN_FIELDS.specs[kind] : undefined;
  for (const segment of path.slice(0, -1)) {
    if (shape === undefined || shape === '') break;
    const isItem = /^(\[\]|\{\})/.test(shape);
    shape = isItem ? shape.slice(2) : KNOWN_FIELDS.types[shape]?.[segment];
  }
  return shape === '';
}

/**
 * Patches that restore nulls in an object of another kind, since cdk8s drops all nulls. Nulls in metadata are ignored.
 * @param constant of the object
 */
export function emitNullPatches(object: Readonly<Record<string, unknown>>, constant: string): readonly Line[] {
  const { metadata: _, ...rest } = object;
  const patches = listNulls(rest, []).map(path =>
    call('JsonPatch.add', plain(formatStringLiteral(formatPointer(path))), plain('null')),
  );
  return patches.length === 0 ? [] : [{ code: call(`${constant}.addJsonPatch`, ...patches) }];
}

/** The paths of null fields. Null items of lists are not among them, because cdk8s keeps those. */
function listNulls(value: unknown, path: Path): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => listNulls(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    member === null ? [[...path, name]] : listNulls(member, [...path, name]),
  );
}
