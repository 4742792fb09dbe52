import type { Logger } from '../../observe/log.ts';
import type { WorkTracing } from '../../observe/own-work.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import { type BackendOffer, buildTable, type CapabilityTable, type RoutingTable } from '../routing/table.ts';
import { type PerCallerConnection, type ServedBundle, sharedBackendOffers } from '../served-bundle.ts';
import type { Audience } from './audience.ts';
import { type AudienceTable, AudienceTables } from './audience-tables.ts';

export interface RoutingTablesOptions {
  /** The bundle of now. */
  readonly served: () => ServedBundle;
  readonly tracing: () => WorkTracing | undefined;
  readonly log: Logger;
  /** A table was made of offers that have changed: it is to be served. */
  readonly onRebuilt: (table: CapabilityTable) => void;
}

/** Where names lead: for all callers, for audiences, and for single callers. */
export class RoutingTables {
  readonly #options: RoutingTablesOptions;
  /** What is the same for all callers. */
  #shared: CapabilityTable;
  /** Over it; undefined until one is looked at. */
  #ofAudiences: AudienceTables | undefined;
  /** A backend offers something that is not in the table yet. */
  #isStale = false;

  constructor(options: RoutingTablesOptions) {
    this.#options = options;
    this.#shared = this.build(options.served());
  }

  /** What is the same for all callers. */
  get shared(): CapabilityTable {
    if (this.#isStale) this.rebuild();
    return this.#shared;
  }

  /** What a caller is listed, and where its requests go. */
  of(sender: Sender): RoutingTable {
    const { perCaller } = this.#options.served();
    const audience = this.ofAudience(sender.audience);
    return perCaller.length === 0 ? audience.table : tableOfCaller(sender, perCaller, audience);
  }

  ofAudience(audience: Audience | undefined): AudienceTable {
    const { shared } = this;
    const { served } = this.#options;
    this.#ofAudiences ??= new AudienceTables(served().bundle, shared, (backend, ofThese) =>
      served().connections.get(backend)?.audiences.of(ofThese),
    );
    return this.#ofAudiences.of(audience);
  }

  /** What all callers together have, for operators: no request is served by it. */
  overview(): CapabilityTable {
    const { shared } = this;
    const served = this.#options.served();
    const told = new Map(
      served.perCaller
        .filter(({ discovery }) => !discovery.isEmpty)
        .map(({ plan, discovery }) => [plan.name, discovery.shown] as const),
    );
    if (told.size === 0) return shared;
    const offers = sharedBackendOffers(served).map(offer => {
      const capabilities = told.get(offer.plan.name);
      return capabilities === undefined ? offer : { ...offer, capabilities, asksCallers: false };
    });
    return buildTable(served.bundle, offers);
  }

  /** The table for a bundle, by what its backends offer now. */
  build(served: ServedBundle, offers: readonly BackendOffer[] = sharedBackendOffers(served)): CapabilityTable {
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
  replace(table: CapabilityTable): CapabilityTable {
    const before = this.#shared;
    this.#shared = table;
    this.#ofAudiences = undefined;
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

  /** A backend offers this audience something else than before. */
  invalidateAudience(audience: Audience): void {
    this.#ofAudiences?.forget(audience);
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
  audience: AudienceTable,
): RoutingTable {
  const caller = getListKey(sender);
  const told = perCaller.flatMap(({ plan, connection, discovery }) => {
    const list = discovery.told(caller);
    return list === undefined || list.nameCount === 0 ? [] : [{ plan, list, available: connection.monitor.available }];
  });
  return told.length === 0 ? audience.table : audience.callers.of(told);
}

/** Lists are compared where they are read: one that says the same is the same object. */
function areSame(offers: readonly BackendOffer[], others: readonly BackendOffer[]): boolean {
  return offers.length === others.length && offers.every((offer, at) => isSame(offer, others[at] as BackendOffer));
}

function isSame(offer: BackendOffer, other: BackendOffer): boolean {
  return (Object.keys(offer) as (keyof BackendOffer)[]).every(member => offer[member] === other[member]);
}
