import { listPossibleNames } from '#shared/plan';
import { type ItemKind, KINDS, mapKinds, type OfferedItem, type PerKind } from '../offers/offered-items.ts';
import { type BackendOffer, buildBackendTable, fitOffer, type ItemTable, type TablePlan } from '../routing/table.ts';
import { CallerTable } from './caller-table.ts';

/** An item with every name that the strategy may give it. */
interface NamedOffer {
  readonly offer: BackendOffer;
  readonly item: OfferedItem;
  readonly names: readonly string[];
}

/** The items that backends give to all callers, by the names that they may get. */
export class SharedCapabilities {
  readonly #bundle: TablePlan;
  readonly #table: ItemTable;
  readonly #byName: PerKind<ReadonlyMap<string, readonly NamedOffer[]>>;

  /** @param table the table that `buildTable` builds from these items */
  constructor(bundle: TablePlan, table: ItemTable) {
    this.#bundle = bundle;
    this.#table = table;
    const offers = table.offers.map(offer => fitOffer(offer));
    this.#byName = mapKinds((kind, key) => {
      const byName = new Map<string, NamedOffer[]>();
      for (const offered of offers.flatMap(offer => listNamedOffers(offer, kind, key))) {
        for (const name of offered.names) {
          const holders = byName.get(name);
          if (holders === undefined) byName.set(name, [offered]);
          else holders.push(offered);
        }
      }
      return byName;
    });
  }

  /**
   * Builds the table of callers with additional items.
   * @param own the items of backends that give nothing to all callers
   * @param onListed as `CallerTable` calls it
   */
  with(own: readonly BackendOffer[], onListed?: (table: CallerTable) => void): CallerTable {
    const met = mapKinds((kind, key) =>
      this.#collectRivals(
        kind,
        own.flatMap(offer => listNamedOffers(offer, kind, key)),
      ),
    );
    const table = buildBackendTable(this.#bundle, [...own, ...groupOffers(mapKinds(kind => met[kind].rivals))]);
    return new CallerTable(
      this.#table,
      table,
      mapKinds(kind => met[kind].names),
      { workflows: this.#bundle.workflows, onListed },
    );
  }

  /** The names that these items may get, the shared items that may get the same names, the other names of those items, and so on. */
  #collectRivals(
    kind: ItemKind,
    own: readonly NamedOffer[],
  ): { names: ReadonlySet<string>; rivals: ReadonlySet<NamedOffer> } {
    const names = new Set<string>();
    const rivals = new Set<NamedOffer>();
    const open = own.flatMap(offered => offered.names);
    // The set grows during the loop.
    for (const name of open) {
      if (names.has(name)) continue;
      names.add(name);
      for (const rival of this.#byName[kind].get(name) ?? []) {
        if (rivals.has(rival)) continue;
        rivals.add(rival);
        for (const other of rival.names) open.push(other);
      }
    }
    return { names, rivals };
  }
}

function listNamedOffers(offer: BackendOffer, kind: ItemKind, key: string): NamedOffer[] {
  return offer.items[kind].flatMap((item: OfferedItem | null) => {
    const name = item?.[key];
    return typeof name === 'string' ? [{ offer, item: item as OfferedItem, names: listNames(offer, kind, name) }] : [];
  });
}

function listNames({ plan }: BackendOffer, kind: ItemKind, name: string): readonly string[] {
  if (kind === 'tools') return listPossibleNames(plan.tools, 'tool', name);
  return kind === 'prompts' ? listPossibleNames(plan.tools, 'prompt', name) : [name];
}

/** The backends' lists, reduced to these items. */
function groupOffers(items: PerKind<ReadonlySet<NamedOffer>>): BackendOffer[] {
  const offers = new Map<BackendOffer, PerKind<OfferedItem[]>>();
  for (const { kind } of KINDS) {
    for (const { offer, item } of items[kind]) {
      const reduced = offers.get(offer) ?? mapKinds((): OfferedItem[] => []);
      reduced[kind].push(item);
      offers.set(offer, reduced);
    }
  }
  return [...offers].map(([offer, items]) => ({ ...offer, items }));
}
