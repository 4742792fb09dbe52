/** `notifications/…/list_changed`: who is sent which of them, and when. */
import type { ClientSession } from '../../mcp/handler.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import { type ItemKind, KINDS } from '../offers/offered-items.ts';
import type { ItemTable } from '../routing/table.ts';
import type { GatewaySession } from '../sessions/client-session.ts';
import type { CapabilitySet } from './capability-set.ts';
import { CapabilitySetNotifier } from './capability-set-notifier.ts';

type Lists = ItemTable['lists'];

export interface ListChangedListener {
  /** On whose behalf it listens. */
  readonly sender: Sender;
  /** A list changed: the notification's method, and the notification as JSON text. */
  listChanged(method: string, json: string): void;
}

export interface ListChangedOptions {
  readonly sessions: ReadonlySet<ClientSession<GatewaySession>>;
  /** What else is notified. */
  readonly listeners: ReadonlySet<ListChangedListener>;
  /** Tools are found by the optimizer in place of a list. */
  readonly hasOptimizer: () => boolean;
  /** The lists of a capability set, as of now. */
  readonly getLists: (capabilitySet: CapabilitySet) => Lists;
}

/** What besides the lists themselves may have changed. */
export interface ListChange {
  /** Other policies decide what of the lists is visible to whom. */
  readonly isVisibleChanged: boolean;
  /** The list of tools has given way to the optimizer, or the other way round. */
  readonly isListReplaced: boolean;
}

export class ListChangedNotifications {
  readonly #sessions: ReadonlySet<ClientSession<GatewaySession>>;
  readonly #listeners: ReadonlySet<ListChangedListener>;
  readonly #hasOptimizer: () => boolean;
  readonly #capabilitySets: CapabilitySetNotifier;

  constructor({ sessions, listeners, hasOptimizer, getLists }: ListChangedOptions) {
    this.#sessions = sessions;
    this.#listeners = listeners;
    this.#hasOptimizer = hasOptimizer;
    this.#capabilitySets = new CapabilitySetNotifier(sessions, getLists);
  }

  /** Those that there are sessions of. */
  get capabilitySets(): readonly CapabilitySet[] {
    return this.#capabilitySets.capabilitySets;
  }

  /** A client with a capability set has come: it is notified of what changes from now on. */
  capabilitySetJoined(capabilitySet: CapabilitySet): void {
    this.#capabilitySets.joined(capabilitySet);
  }

  /** Another table is served: notifies of the lists that differ. */
  tableReplaced(before: ItemTable, after: ItemTable, { isVisibleChanged, isListReplaced }: ListChange): void {
    const isRelisted = isVisibleChanged || !sameNames(before.askingCallers, after.askingCallers);
    // Callers with lists of their own are notified of those separately.
    const kinds = isListReplaced ? KINDS : this.#readKinds;
    const changed = kinds.filter(({ kind }) => isRelisted || !after.lists[kind].equals(before.lists[kind]));
    for (const method of new Set(changed.map(traits => traits.changedMethod))) {
      const json = notification(method);
      for (const session of this.#sessions) if (session.payload.capabilitySet === undefined) session.send(json);
      for (const listener of this.#listeners) listener.listChanged(method, json);
    }
    this.#capabilitySets.announce(before.lists, isRelisted, kinds);
  }

  /** A backend offers clients with a capability set something else than before. @param lists what is the same for all */
  capabilitySetChanged(lists: Lists): void {
    this.#capabilitySets.announce(lists, false, this.#readKinds);
  }

  /**
   * A backend has announced lists as changed that read the same. Clients of the stateless revision have asked for such notifications by
   * kind, and get them as they would directly, of lists in which the backend has something to show.
   */
  repeat(table: ItemTable, backend: string, methods: readonly string[]): void {
    for (const method of methods) {
      if (!this.#readKinds.some(({ kind, changedMethod }) => changedMethod === method && shows(table, kind, backend)))
        continue;
      const json = notification(method);
      for (const listener of this.#listeners) listener.listChanged(method, json);
    }
  }

  /** Notifies one caller, and no other, that its lists changed. */
  callerChanged(caller: string, kinds: ReadonlySet<ItemKind>): void {
    const methods = new Set(this.#readKinds.filter(({ kind }) => kinds.has(kind)).map(traits => traits.changedMethod));
    const notify = (sender: Sender, send: (method: string, json: string) => void) => {
      if (getListKey(sender) !== caller) return;
      for (const method of methods) send(method, notification(method));
    };
    for (const session of this.#sessions) notify(session.payload.sender, (_method, json) => session.send(json));
    for (const listener of this.#listeners) {
      notify(listener.sender, (method, json) => listener.listChanged(method, json));
    }
  }

  /** Lists that clients read. */
  get #readKinds(): typeof KINDS {
    return this.#hasOptimizer() ? KINDS.filter(({ kind }) => kind !== 'tools') : KINDS;
  }
}

function notification(method: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method });
}

/** Whether clients are listed anything of a backend. */
function shows(table: ItemTable, kind: ItemKind, backend: string): boolean {
  const routes = kind === 'resourceTemplates' ? table.templates : table[kind];
  return [...routes.values()].some(route => route.backend === backend);
}

function sameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every(name => b.has(name));
}
