/** Converts field names to ToolHive's current spelling: older `vmcp` files have `conflict_resolution` for `conflictResolution`. */
import { isObject } from '#schemas';
import type { MutableFields } from './migrate-object.ts';

/** Below these fields, users choose the names of members; the values of the members have fields again. */
const NAMED_MEMBERS = new Set(['overrides', 'perWorkload']);
/** Below these fields, users choose everything. */
const FREE = new Set([
  'arguments',
  'defaultResults',
  'headers',
  'parameters',
  'schema',
  'metadata',
  'embeddingHeaders',
]);

export interface RenamedFields {
  readonly before: string;
  readonly after: string;
}

export function toCamelCased(value: MutableFields): {
  readonly value: MutableFields;
  readonly renamed: readonly RenamedFields[];
} {
  const renamed: RenamedFields[] = [];
  return { value: renameFields(value, '', renamed), renamed };
}

function renameFields(value: MutableFields, location: string, renamed: RenamedFields[]): MutableFields {
  return Object.fromEntries(
    Object.entries(value).map(([before, member]) => {
      const after = before.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      const at = location === '' ? before : `${location}.${before}`;
      if (after !== before) renamed.push({ before: at, after });
      return [after, convertMember(member, after, at, renamed)];
    }),
  );
}

function convertMember(value: unknown, name: string, location: string, renamed: RenamedFields[]): unknown {
  if (FREE.has(name)) return value;
  if (Array.isArray(value)) return value.map((item, at) => convertMember(item, '', `${location}[${at}]`, renamed));
  if (!isObject(value)) return value;
  // `backends` of outgoing authentication is a mapping by name; elsewhere it is a list.
  if (!NAMED_MEMBERS.has(name) && name !== 'backends') return renameFields(value, location, renamed);
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [
      member,
      convertMember(inner, '', `${location}.${member}`, renamed),
    ]),
  );
}
