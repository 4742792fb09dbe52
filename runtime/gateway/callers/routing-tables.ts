import type { Logger } from '../../observe/log.ts';
import type { WorkTracing } from '../../observe/own-work.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import { type BackendOffer, buildTable, type ItemTable, type RoutingTable } from '../routing/table.ts';
import { type PerCallerConnection, type ServedBundle, sharedBackendOffers } from '../served-bundle.ts';
import type { CapabilitySet } from './capability-set.ts';
import { type CapabilitySetTable, CapabilitySetTables } from './capability-set-tables.ts';

export interface RoutingTablesOptions {
  /** The current bundle. */
  readonly served: () => ServedBundle;
  readonly tracing: () => WorkTracing | undefined;
  readonly log: Logger;
  /** A table was made of offers that have changed: it is to be served. */
  readonly onRebuilt: (table: ItemTable) => void;
}

/** Where names lead: for all callers, for capability sets, and for single callers. */
export class RoutingTables {
  readonly #options: RoutingTablesOptions;
  /** What is the same for all callers. */
  #shared: ItemTable;
  /** Over it; undefined until one is looked at. */
  #ofCapabilitySets: CapabilitySetTables | undefined;
  /** A backend offers something that is not in the table yet. */
  #isStale = false;

  constructor(options: RoutingTablesOptions) {
    this.#options = options;
    this.#shared = this.build(options.served());
  }

  /** What is the same for all callers. */
  get shared(): ItemTable {
    if (this.#isStale) this.rebuild();
    return this.#shared;
  }

  /** What a caller is listed, and where its requests go. */
  of(sender: Sender): RoutingTable {
    const { perCaller } = this.#options.served();
    const capabilitySet = this.ofCapabilitySet(sender.capabilitySet);
    return perCaller.length === 0 ? capabilitySet.table : tableOfCaller(sender, perCaller, capabilitySet);
  }

  ofCapabilitySet(capabilitySet: CapabilitySet | undefined): CapabilitySetTable {
    const { shared } = this;
    const { served } = this.#options;
    this.#ofCapabilitySets ??= new CapabilitySetTables(served().bundle, shared, (backend, ofThese) =>
      served().connections.get(backend)?.capabilitySets.of(ofThese),
    );
    return this.#ofCapabilitySets.of(capabilitySet);
  }

  /** What all callers together have, for operators: no request is served by it. */
  overview(): ItemTable {
    const { shared } = this;
    const served = this.#options.served();
    const offered = new Map(
      served.perCaller
        .filter(({ discovery }) => !discovery.isEmpty)
        .map(({ plan, discovery }) => [plan.name, discovery.shown] as const),
    );
    if (offered.size === 0) return shared;
    const offers = sharedBackendOffers(served).map(offer => {
      const items = offered.get(offer.plan.name);
      return items === undefined ? offer : { ...offer, items, asksCallers: false };
    });
    return buildTable(served.bundle, offers);
  }

  /** The table for a bundle, by what its backends offer now. */
  build(served: ServedBundle, offers: readonly BackendOffer[] = sharedBackendOffers(served)): ItemTable {
    const work = this.#options.tracing()?.begin('aggregator.AggregateCapabilities', { backends: offers.length });
    try {
      const table = buildTable(served.bundle, offers, work);
      work?.end();
      return table;
    } catch (error) {
      work?.end('internal');
      throw error;
    }
  }

  /** Serves another table. Returns the former one. */
  replace(table: ItemTable): ItemTable {
    const before = this.#shared;
    this.#shared = table;
    this.#ofCapabilitySets = undefined;
    this.#isStale = false;
    return before;
  }

  get isStale(): boolean {
    return this.#isStale;
  }

  /** A backend offers something else than before: the table is built again when it is looked at, or by `rebuild`. */
  invalidate(): void {
    this.#isStale = true;
  }

  /** A backend offers clients with this capability set something else than before. */
  invalidateCapabilitySet(capabilitySet: CapabilitySet): void {
    this.#ofCapabilitySets?.forget(capabilitySet);
  }

  /** Builds the table again, unless all offers are those that it was made of. A fault of ours in that must not end the process. */
  rebuild(): void {
    this.#isStale = false;
    const { served, log, onRebuilt } = this.#options;
    try {
      const offers = sharedBackendOffers(served());
      if (!areSame(offers, this.#shared.offers)) onRebuilt(this.build(served(), offers));
    } catch (error) {
      log.error({ err: error }, 'the routing table could not be built; the former one stays');
    }
  }
}

function tableOfCaller(
  sender: Sender,
  perCaller: readonly PerCallerConnection[],
  capabilitySet: CapabilitySetTable,
): RoutingTable {
  const caller = getListKey(sender);
  const lists = perCaller.flatMap(({ plan, connection, discovery }) => {
    const list = discovery.findList(caller);
    return list === undefined || list.nameCount === 0 ? [] : [{ plan, list, available: connection.monitor.available }];
  });
  return lists.length === 0 ? capabilitySet.table : capabilitySet.callers.of(lists);
}

/** Lists are compared where they are read: one that says the same is the same object. */
function areSame(offers: readonly BackendOffer[], others: readonly BackendOffer[]): boolean {
  return offers.length === others.length && offers.every((offer, at) => isSame(offer, others[at] as BackendOffer));
}

function isSame(offer: BackendOffer, other: BackendOffer): boolean {
  return (Object.keys(offer) as (keyof BackendOffer)[]).every(member => offer[member] === other[member]);
}
