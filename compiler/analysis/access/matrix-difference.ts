/** Differences from an expected matrix, by server. */
import { compareText } from '#schemas';
import { type Cell, formatServerName, type Matrix, type MatrixItem } from './matrix.ts';

/** What differs for one persona between two matrices; undefined on the side that lacks the item. */
export interface CellChange {
  /** The server in words, such as `default/eng`, or `registry server default/main`. */
  readonly server: string;
  readonly item: Pick<MatrixItem, 'type' | 'name'>;
  readonly persona: string;
  readonly before: PersonaAccess | undefined;
  readonly after: PersonaAccess | undefined;
}

/** How one persona reaches an item. */
export interface PersonaAccess {
  /** Access by a direct request. */
  readonly direct: Cell;
  /** The workflows through which the persona reaches the item. */
  readonly through: readonly string[];
  /** The tool or prompt of a backend, such as `notes.add`. Undefined for other items, and in files of versions that did not write it. */
  readonly origin?: string;
}

/** The callers that only one of two matrices asks about. What they may do is not compared. */
export function diffPersonas(
  before: Matrix,
  after: Matrix,
): { readonly missing: readonly string[]; readonly added: readonly string[] } {
  const only = (one: Matrix, other: Matrix) => one.personas.filter(persona => !other.personas.includes(persona));
  return { missing: only(before, after), added: only(after, before) };
}

/**
 * The cells that differ, sorted by server, type, name and persona. If an item is missing on one side, its cells count as denied. So adding or
 * removing an item that no caller may use is not a difference.
 */
export function diffMatrices(before: Matrix, after: Matrix): readonly CellChange[] {
  const [old, now] = [listCells(before), listCells(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort(compareText);
  return keys.flatMap(key => {
    const [was, is] = [old.get(key), now.get(key)];
    const one = is ?? was;
    if (one === undefined || isSameAccess(was?.access, is?.access)) return [];
    const { server, item, persona } = one;
    return [{ server, item: { type: item.type, name: item.name }, persona, before: was?.access, after: is?.access }];
  });
}

interface PlacedCell {
  readonly server: string;
  readonly item: MatrixItem;
  readonly persona: string;
  readonly access: PersonaAccess;
}

const DENIED: PersonaAccess = { direct: 'no', through: [] };

function isSameAccess(before: PersonaAccess = DENIED, after: PersonaAccess = DENIED): boolean {
  const isReached = ({ direct, through }: PersonaAccess) => direct !== 'no' || through.length > 0;
  const isRedirected =
    isReached(before) && isReached(after) && before.origin !== undefined && before.origin !== after.origin;
  return (
    !isRedirected && before.direct === after.direct && JSON.stringify(before.through) === JSON.stringify(after.through)
  );
}

function listCells({ gateways, registries }: Matrix): ReadonlyMap<string, PlacedCell> {
  const servers = [
    ...gateways.map(gateway => ({ items: gateway.items, server: formatServerName('gateway', gateway) })),
    ...registries.map(registry => ({ items: registry.items, server: formatServerName('registry', registry) })),
  ];
  const cells = servers.flatMap(({ items, server }) =>
    items.flatMap(item =>
      Object.entries(item.access).map(([persona, direct]) => ({
        server,
        item,
        persona,
        access: { direct, through: listThrough(item, persona), ...toOriginText(item) },
      })),
    ),
  );
  return new Map(cells.map(one => [JSON.stringify([one.server, one.item.type, one.item.name, one.persona]), one]));
}

function toOriginText({ origin }: MatrixItem): Pick<PersonaAccess, 'origin'> {
  return origin === undefined ? {} : { origin: `${origin.backend}.${origin.name}` };
}

function listThrough({ through = {} }: MatrixItem, persona: string): readonly string[] {
  // A file may have the workflows in any order.
  return Object.hasOwn(through, persona) ? [...(through[persona] ?? [])].sort(compareText) : [];
}
