import { LRUCache } from 'lru-cache';
import type { Capabilities } from '../offers/capabilities.ts';
import { buildTable, type CapabilityTable, type TablePlan } from '../routing/table.ts';
import type { Audience } from './audience.ts';
import { CallerTables } from './caller-tables.ts';
import { SharedOffers } from './shared-offers.ts';

/** Audiences whose tables are kept; the one used least recently makes room. */
export const MAX_TABLES = 64;

/** The table of those to whom backends offer the same, and the tables over it of callers with lists of their own. */
export class AudienceTable {
  readonly table: CapabilityTable;
  readonly #bundle: TablePlan;
  #callers: CallerTables | undefined;

  constructor(bundle: TablePlan, table: CapabilityTable) {
    this.#bundle = bundle;
    this.table = table;
  }

  get callers(): CallerTables {
    this.#callers ??= new CallerTables(new SharedOffers(this.#bundle, this.table));
    return this.#callers;
  }
}

/** What clients have to whom backends offer something else than to the gateway: one table for all who are offered the same. */
export class AudienceTables {
  readonly shared: AudienceTable;
  readonly #bundle: TablePlan;
  readonly #offered: (backend: string, audience: Audience) => Capabilities | undefined;
  /** By the keys of audiences. */
  readonly #tables = new LRUCache<string, AudienceTable>({ max: MAX_TABLES });

  /**
   * @param table of what the gateway is offered
   * @param offered what a backend offers an audience where that is something else; the same object while it is the same
   */
  constructor(
    bundle: TablePlan,
    table: CapabilityTable,
    offered: (backend: string, audience: Audience) => Capabilities | undefined,
  ) {
    this.#bundle = bundle;
    this.shared = new AudienceTable(bundle, table);
    this.#offered = offered;
  }

  of(audience: Audience | undefined): AudienceTable {
    if (audience === undefined) return this.shared;
    const known = this.#tables.get(audience.key);
    if (known !== undefined) return known;
    const table = this.#make(audience);
    this.#tables.set(audience.key, table);
    return table;
  }

  /** An audience is offered something else from now on. */
  forget({ key }: Audience): void {
    this.#tables.delete(key);
  }

  #make(audience: Audience): AudienceTable {
    const { offers } = this.shared.table;
    const own = offers.map(({ plan, capabilities, asksCallers }) => {
      return (asksCallers === true ? undefined : this.#offered(plan.name, audience)) ?? capabilities;
    });
    const isOf = ({ table }: AudienceTable) => own.every((list, at) => list === table.offers[at]?.capabilities);
    const same = [this.shared, ...this.#tables.values()].find(isOf);
    if (same !== undefined) return same;
    const offersOfOwn = offers.map((offer, at) => ({ ...offer, capabilities: own[at] ?? offer.capabilities }));
    return new AudienceTable(this.#bundle, buildTable(this.#bundle, offersOfOwn));
  }
}
