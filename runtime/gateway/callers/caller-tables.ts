import type { BackendPlan } from '#schemas';
import type { AdvertisedList } from '../connections/caller-lists.ts';
import type { CallerTable } from './caller-table.ts';
import type { SharedCapabilities } from './shared-capabilities.ts';

/** Limit on the names of callers' own lists in all cached tables; the latest table is cached even if it exceeds the limit. */
const MAX_OWN_NAMES = 500_000;

/** Maximum number of tables whose lists are stored in the form that is sent. */
const MAX_LISTED = 32;

/** The lists that a backend gives to callers. */
export interface AdvertisedOffer {
  readonly plan: BackendPlan;
  readonly list: AdvertisedList;
  readonly available: boolean;
}

interface CachedTable {
  readonly table: CallerTable;
  readonly lists: readonly AdvertisedList[];
  readonly nameCount: number;
}

/** The routing tables of callers, built on one table for all: callers with equal lists share one. */
export class CallerTables {
  readonly #shared: SharedCapabilities;
  /** Tables, by the ids of the lists that they were built from; least recently used first. */
  readonly #tables = new Map<string, CachedTable>();
  #nameCount = 0;
  /** The tables whose lists clients received, least recently used first. */
  readonly #listed = new Set<CallerTable>();

  constructor(shared: SharedCapabilities) {
    this.#shared = shared;
  }

  /** Returns the table of callers with these lists. */
  get(advertised: readonly AdvertisedOffer[]): CallerTable {
    const key = advertised.map(({ list }) => list.id).join(' ');
    const cached = this.#tables.get(key);
    if (cached === undefined) return this.#add(key, advertised);
    this.#tables.delete(key);
    this.#tables.set(key, cached);
    return cached.table;
  }

  #add(key: string, advertised: readonly AdvertisedOffer[]): CallerTable {
    const offers = advertised.map(({ plan, list, available }) => ({
      plan,
      items: list.offered,
      available,
      requiresCallerAuth: true,
    }));
    const table = this.#shared.with(offers, listed => this.#noteListed(listed));
    const lists = advertised.map(({ list }) => list);
    const nameCount = lists.reduce((sum, list) => sum + list.nameCount, 0);
    this.#tables.set(key, { table, lists, nameCount });
    this.#nameCount += nameCount;
    this.#makeRoom();
    return table;
  }

  #makeRoom(): void {
    for (const [key, { lists }] of this.#tables) if (!lists.every(list => list.isHeld)) this.#drop(key);
    for (const key of this.#tables.keys()) {
      if (this.#nameCount <= MAX_OWN_NAMES || this.#tables.size === 1) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const cached = this.#tables.get(key);
    if (cached === undefined) return;
    this.#tables.delete(key);
    this.#nameCount -= cached.nameCount;
    this.#listed.delete(cached.table);
  }

  #noteListed(table: CallerTable): void {
    this.#listed.delete(table);
    this.#listed.add(table);
    if (this.#listed.size <= MAX_LISTED) return;
    const [oldest] = this.#listed;
    oldest?.forgetLists();
    this.#listed.delete(oldest as CallerTable);
  }
}
