/** Notifies clients that announced capabilities of the changes in their own lists, which may differ from those of other clients. */
import type { CapabilitySet } from '../backends/capability-set.ts';
import type { KINDS } from '../offers/offered-items.ts';
import type { ItemTable } from '../routing/table.ts';
import type { ListedClient } from './listed-client.ts';

type Lists = ItemTable['lists'];

export class CapabilitySetNotifier {
  readonly #sessions: ReadonlySet<ListedClient>;
  readonly #getLists: (capabilitySet: CapabilitySet) => Lists;
  /** The lists of each capability set when its first client connected, or when the clients were last notified; by the key of the capability set. */
  #lists = new Map<string, Lists>();

  /**
   * @param sessions the sessions of all clients
   * @param getLists returns the current lists
   */
  constructor(sessions: ReadonlySet<ListedClient>, getLists: (capabilitySet: CapabilitySet) => Lists) {
    this.#sessions = sessions;
    this.#getLists = getLists;
  }

  /** The capability sets of the current sessions. */
  get capabilitySets(): readonly CapabilitySet[] {
    const byKey = new Map<string, CapabilitySet>();
    for (const { payload } of this.#sessions) {
      if (payload.capabilitySet !== undefined) byKey.set(payload.capabilitySet.key, payload.capabilitySet);
    }
    return [...byKey.values()];
  }

  /** Registers the capability set of a new client, which is notified of the changes from now on. */
  joined(capabilitySet: CapabilitySet): void {
    if (!this.#lists.has(capabilitySet.key)) this.#lists.set(capabilitySet.key, this.#getLists(capabilitySet));
  }

  /**
   * Notifies of the changes since the last time.
   * @param previous the former lists of capability sets that are new here
   * @param isAllChanged whether other policies decide which items are visible to which caller
   * @param kinds the kinds that clients read
   */
  announce(previous: Lists, isAllChanged: boolean, kinds: typeof KINDS): void {
    const known = this.#lists;
    this.#lists = new Map();
    const methods = new Map<string, ReadonlySet<string>>();
    for (const capabilitySet of this.capabilitySets) {
      const lists = this.#getLists(capabilitySet);
      const before = known.get(capabilitySet.key) ?? previous;
      this.#lists.set(capabilitySet.key, lists);
      const changed = kinds.filter(({ kind }) => isAllChanged || !lists[kind].equals(before[kind]));
      methods.set(capabilitySet.key, new Set(changed.map(({ changedMethod }) => changedMethod)));
    }
    for (const session of this.#sessions) {
      const key = session.payload.capabilitySet?.key;
      const own = key === undefined ? undefined : methods.get(key);
      for (const method of own ?? []) session.send(JSON.stringify({ jsonrpc: '2.0', method }));
    }
  }
}
