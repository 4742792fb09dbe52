import type { Logger } from '../../observe/log.ts';
import type { WorkTracing } from '../../observe/own-work.ts';
import type { CapabilitySet } from '../backends/capability-set.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import { buildLockedOffer } from '../offers/locked-offer.ts';
import { type BackendOffer, buildTable, type ItemTable, type RoutingTable } from '../routing/table.ts';
import type { PerCallerConnection, ServedBundle } from '../served-bundle.ts';
import { type CapabilitySetTable, CapabilitySetTables } from './capability-set-tables.ts';

export interface RoutingTablesOptions {
  /** Returns the bundle that is served now. */
  readonly served: () => ServedBundle;
  readonly tracing: () => WorkTracing | undefined;
  readonly log: Logger;
  /** Called when a table was built from changed lists; the caller serves it. */
  readonly onRebuilt: (table: ItemTable) => void;
}

/** The routing tables: for all callers, for capability sets, and for single callers. */
export class RoutingTables {
  readonly #options: RoutingTablesOptions;
  /** The table that is the same for all callers. */
  #shared: ItemTable;
  /** The tables for capability sets, built on the shared table; undefined before their first use. */
  #ofCapabilitySets: CapabilitySetTables | undefined;
  /** Whether a backend has items that are not in the table yet. */
  #isStale = false;

  constructor(options: RoutingTablesOptions) {
    this.#options = options;
    this.#shared = this.build(options.served());
  }

  /** The table that is the same for all callers. */
  get shared(): ItemTable {
    if (this.#isStale) this.rebuild();
    return this.#shared;
  }

  /** The table of a caller: its lists, and the destinations of its requests. */
  get(sender: Sender): RoutingTable {
    const { perCaller } = this.#options.served();
    const capabilitySet = this.getOfCapabilitySet(sender.capabilitySet);
    return perCaller.length === 0 ? capabilitySet.table : getTableOfCaller(sender, perCaller, capabilitySet);
  }

  getOfCapabilitySet(capabilitySet: CapabilitySet | undefined): CapabilitySetTable {
    const { shared } = this;
    const { served } = this.#options;
    this.#ofCapabilitySets ??= new CapabilitySetTables(served().bundle, shared, (backend, ofThese) =>
      served().connections.get(backend)?.capabilitySets.get(ofThese),
    );
    return this.#ofCapabilitySets.get(capabilitySet);
  }

  /** The items of all callers together, for operators: it serves no request. */
  overview(): ItemTable {
    const { shared } = this;
    const served = this.#options.served();
    const offered = new Map(
      served.perCaller
        .filter(({ discovery }) => !discovery.isEmpty)
        .map(({ plan, discovery }) => [plan.name, discovery.shown] as const),
    );
    if (offered.size === 0) return shared;
    const offers = getSharedBackendOffers(served).map(offer => {
      const items = offered.get(offer.plan.name);
      return items === undefined ? offer : { ...offer, items, requiresCallerAuth: false };
    });
    return buildTable(served.bundle, offers);
  }

  /** Builds the table of a bundle from its backends' current lists. */
  build(served: ServedBundle, offers: readonly BackendOffer[] = getSharedBackendOffers(served)): ItemTable {
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

  /** Makes another table the served one. Returns the former one. */
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

  /** Called when a backend's lists have changed: the table is built again on its next use, or by `rebuild`. */
  invalidate(): void {
    this.#isStale = true;
  }

  /** Called when a backend's lists for clients with this capability set have changed. */
  invalidateCapabilitySet(capabilitySet: CapabilitySet): void {
    this.#ofCapabilitySets?.forget(capabilitySet);
  }

  /** Builds the table again, unless the lists are unchanged. An internal error during that must not end the process. */
  rebuild(): void {
    this.#isStale = false;
    const { served, log, onRebuilt } = this.#options;
    try {
      const offers = getSharedBackendOffers(served());
      if (!areSame(offers, this.#shared.offers)) onRebuilt(this.build(served(), offers));
    } catch (error) {
      log.error({ err: error }, 'the routing table could not be built; the previous table stays in use');
    }
  }
}

/** The lists of a bundle's backends that are the same for all callers. */
function getSharedBackendOffers({ bundle, connections }: ServedBundle): readonly BackendOffer[] {
  return bundle.backends.flatMap(plan => {
    const monitor = connections.get(plan.name)?.monitor;
    if (monitor === undefined) return [];
    const { available, requiresCallerAuth, isKnown } = monitor;
    const items = isKnown ? monitor.items : buildLockedOffer(plan);
    return [{ plan, items, available, requiresCallerAuth }];
  });
}

function getTableOfCaller(
  sender: Sender,
  perCaller: readonly PerCallerConnection[],
  capabilitySet: CapabilitySetTable,
): RoutingTable {
  const caller = getListKey(sender);
  const lists = perCaller.flatMap(({ plan, connection, discovery }) => {
    const list = discovery.findList(caller);
    return list === undefined || list.nameCount === 0 ? [] : [{ plan, list, available: connection.monitor.available }];
  });
  return lists.length === 0 ? capabilitySet.table : capabilitySet.callers.get(lists);
}

/** Whether all lists are the same objects: an unchanged list is the same object. */
function areSame(offers: readonly BackendOffer[], others: readonly BackendOffer[]): boolean {
  return offers.length === others.length && offers.every((offer, at) => isSame(offer, others[at] as BackendOffer));
}

function isSame(offer: BackendOffer, other: BackendOffer): boolean {
  return (Object.keys(offer) as (keyof BackendOffer)[]).every(member => offer[member] === other[member]);
}
