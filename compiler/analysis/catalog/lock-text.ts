/** Serializes the tool lock: equal catalogs give equal bytes, and one change gives one line of diff. */
import { type CatalogLock, compareText, formatCanonicalJson, type LockedBackendEntry } from '#schemas';
import { ITEM_KINDS } from './item-kinds.ts';

/** The text of a catalog. Identifying members come first; all others are sorted by UTF-16 code units. */
export function lockText({ lockfileVersion, backends }: CatalogLock): string {
  const entries = sortMembers(backends).map(
    ([key, entry]): LockMember => [key, formatObject(listBackendMembers(entry, '    '), '    ')],
  );
  const members: LockMember[] = [
    ['lockfileVersion', String(lockfileVersion)],
    ['backends', formatObject(entries, '  ')],
  ];
  return `${formatObject(members, '')}\n`;
}

/** A member of an object, with its value as text. */
type LockMember = readonly [name: string, text: string];

function listBackendMembers(entry: LockedBackendEntry, indent: string): LockMember[] {
  const inner = `${indent}  `;
  const { url, transport, protocolVersion, server } = entry;
  return [
    ...Object.entries({ url, transport, protocolVersion, server }).map(
      ([name, value]): LockMember => [name, formatIndented(value, inner)],
    ),
    ...ITEM_KINDS.flatMap(({ list }): LockMember[] => {
      const items = sortMembers(entry[list] ?? {}).map(([name, { digest, definition }]): LockMember => {
        const deeper = `${inner}  `;
        const members: LockMember[] = [
          ['digest', JSON.stringify(digest)],
          ['definition', formatIndented(definition, `${deeper}  `)],
        ];
        return [name, formatObject(members, deeper)];
      });
      return items.length === 0 ? [] : [[list, formatObject(items, inner)]];
    }),
  ];
}

/** Canonical JSON (RFC 8785), with one line for each member. */
function formatIndented(value: unknown, indent: string): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map(item => `${inner}${formatIndented(item, inner)}`).join(',\n')}\n${indent}]`;
  }
  if (typeof value !== 'object' || value === null) return formatCanonicalJson(value);
  return formatObject(
    sortMembers(value).map(([name, member]): LockMember => [name, formatIndented(member, inner)]),
    indent,
  );
}

function formatObject(members: readonly LockMember[], indent: string): string {
  if (members.length === 0) return '{}';
  return `{\n${members.map(([name, text]) => `${indent}  ${JSON.stringify(name)}: ${text}`).join(',\n')}\n${indent}}`;
}

function sortMembers<T>(map: { readonly [name: string]: T }): [string, T][];
function sortMembers(map: object): [string, unknown][];
function sortMembers(map: object): [string, unknown][] {
  return Object.entries(map).sort(([a], [b]) => compareText(a, b));
}
