/** Serializes the tool lock: equal catalogs give equal bytes, and one change gives one line of diff. */
import { type CatalogLock, canonicalJson, compareText, type LockedBackendEntry } from '#schemas';
import { ITEM_KINDS } from './item-kinds.ts';

/** The text of a catalog. Identifying members come first; all others are sorted by UTF-16 code units. */
export function lockText({ lockfileVersion, backends }: CatalogLock): string {
  const entries = sorted(backends).map(
    ([key, entry]): LockMember => [key, object(backendMembers(entry, '    '), '    ')],
  );
  const members: LockMember[] = [
    ['lockfileVersion', String(lockfileVersion)],
    ['backends', object(entries, '  ')],
  ];
  return `${object(members, '')}\n`;
}

/** A member of an object, with its value as text. */
type LockMember = readonly [name: string, text: string];

function backendMembers(entry: LockedBackendEntry, indent: string): LockMember[] {
  const inner = `${indent}  `;
  const { url, transport, protocolVersion, server } = entry;
  return [
    ...Object.entries({ url, transport, protocolVersion, server }).map(
      ([name, value]): LockMember => [name, indented(value, inner)],
    ),
    ...ITEM_KINDS.flatMap(({ list }): LockMember[] => {
      const items = sorted(entry[list] ?? {}).map(([name, { digest, definition }]): LockMember => {
        const deeper = `${inner}  `;
        const members: LockMember[] = [
          ['digest', JSON.stringify(digest)],
          ['definition', indented(definition, `${deeper}  `)],
        ];
        return [name, object(members, deeper)];
      });
      return items.length === 0 ? [] : [[list, object(items, inner)]];
    }),
  ];
}

/** Canonical JSON (RFC 8785), with one line for each member. */
function indented(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map(item => `${inner}${indented(item, inner)}`).join(',\n')}\n${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return canonicalJson(value);
  return object(
    sorted(value).map(([name, member]): LockMember => [name, indented(member, inner)]),
    indent,
  );
}

function object(members: readonly LockMember[], indent: string): string {
  if (members.length === 0) return '{}';
  return `{\n${members.map(([name, text]) => `${indent}  ${JSON.stringify(name)}: ${text}`).join(',\n')}\n${indent}}`;
}

function sorted<T>(map: { readonly [name: string]: T }): [string, T][];
function sorted(map: object): [string, unknown][];
function sorted(map: object): [string, unknown][] {
  return Object.entries(map).sort(([a], [b]) => compareText(a, b));
}
