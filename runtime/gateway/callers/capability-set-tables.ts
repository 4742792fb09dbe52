import { LRUCache } from 'lru-cache';
import type { CapabilitySet } from '../backends/capability-set.ts';
import type { OfferedItems } from '../offers/offered-items.ts';
import { buildTable, type ItemTable, type TablePlan } from '../routing/table.ts';
import { CallerTables } from './caller-tables.ts';
import { SharedCapabilities } from './shared-capabilities.ts';

/** The number of capability sets with cached tables; the least recently used one is removed. */
export const MAX_TABLES = 64;

/** The table of clients that get the same lists, and the tables built on it for callers with lists of their own. */
export class CapabilitySetTable {
  readonly table: ItemTable;
  readonly #bundle: TablePlan;
  #callers: CallerTables | undefined;

  constructor(bundle: TablePlan, table: ItemTable) {
    this.#bundle = bundle;
    this.table = table;
  }

  get callers(): CallerTables {
    this.#callers ??= new CallerTables(new SharedCapabilities(this.#bundle, this.table));
    return this.#callers;
  }
}

/** The tables of clients whose lists differ from the gateway's own: clients with equal lists share one. */
export class CapabilitySetTables {
  readonly shared: CapabilitySetTable;
  readonly #bundle: TablePlan;
  readonly #offered: (backend: string, capabilitySet: CapabilitySet) => OfferedItems | undefined;
  /** Tables, by the key of the capability set. */
  readonly #tables = new LRUCache<string, CapabilitySetTable>({ max: MAX_TABLES });

  /**
   * @param table the table of the gateway's own lists
   * @param offered returns a backend's lists for clients with a capability set, when they differ from the gateway's own; the same object while
   * they are unchanged
   */
  constructor(
    bundle: TablePlan,
    table: ItemTable,
    offered: (backend: string, capabilitySet: CapabilitySet) => OfferedItems | undefined,
  ) {
    this.#bundle = bundle;
    this.shared = new CapabilitySetTable(bundle, table);
    this.#offered = offered;
  }

  get(capabilitySet: CapabilitySet | undefined): CapabilitySetTable {
    if (capabilitySet === undefined) return this.shared;
    const known = this.#tables.get(capabilitySet.key);
    if (known !== undefined) return known;
    const table = this.#make(capabilitySet);
    this.#tables.set(capabilitySet.key, table);
    return table;
  }

  /** Drops the table of a capability set, because the lists for its clients have changed. */
  forget({ key }: CapabilitySet): void {
    this.#tables.delete(key);
  }

  #make(capabilitySet: CapabilitySet): CapabilitySetTable {
    const { offers } = this.shared.table;
    const own = offers.map(({ plan, items, requiresCallerAuth }) => {
      return (requiresCallerAuth === true ? undefined : this.#offered(plan.name, capabilitySet)) ?? items;
    });
    const isBuiltFrom = ({ table }: CapabilitySetTable) => own.every((list, at) => list === table.offers[at]?.items);
    const same = [this.shared, ...this.#tables.values()].find(isBuiltFrom);
    if (same !== undefined) return same;
    const offersOfOwn = offers.map((offer, at) => ({ ...offer, items: own[at] ?? offer.items }));
    return new CapabilitySetTable(this.#bundle, buildTable(this.#bundle, offersOfOwn));
  }
}
