/** Announces to clients that have announced capabilities what changed in their own lists, which need not be those of others. */
import type { ClientSession } from '../../mcp/handler.ts';
import type { KINDS } from '../offers/offered-items.ts';
import type { ItemTable } from '../routing/table.ts';
import type { GatewaySession } from '../sessions/client-session.ts';
import type { CapabilitySet } from './capability-set.ts';

type Session = ClientSession<GatewaySession>;
type Lists = ItemTable['lists'];

export class CapabilitySetNotifier {
  readonly #sessions: ReadonlySet<Session>;
  readonly #getLists: (capabilitySet: CapabilitySet) => Lists;
  /** By the keys of capability sets of sessions: what clients with them had when they came, or were last announced. */
  #lists = new Map<string, Lists>();

  /**
   * @param sessions of all clients
   * @param getLists the current lists
   */
  constructor(sessions: ReadonlySet<Session>, getLists: (capabilitySet: CapabilitySet) => Lists) {
    this.#sessions = sessions;
    this.#getLists = getLists;
  }

  /** Those that there are sessions of. */
  get capabilitySets(): readonly CapabilitySet[] {
    const byKey = new Map<string, CapabilitySet>();
    for (const { payload } of this.#sessions) {
      if (payload.capabilitySet !== undefined) byKey.set(payload.capabilitySet.key, payload.capabilitySet);
    }
    return [...byKey.values()];
  }

  /** A client has come: it is announced what changes from now on. */
  joined(capabilitySet: CapabilitySet): void {
    if (!this.#lists.has(capabilitySet.key)) this.#lists.set(capabilitySet.key, this.#getLists(capabilitySet));
  }

  /**
   * Announces what changed since the last time.
   *
   * @param previous what those had who have not been here before
   * @param isAllChanged other policies decide what of the lists is visible to whom
   * @param kinds those that clients read
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
