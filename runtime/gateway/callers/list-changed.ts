/** Decides which clients get which `notifications/…/list_changed`, and when. */
import type { CapabilitySet } from '../backends/capability-set.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import { type ItemKind, KINDS } from '../offers/offered-items.ts';
import type { ItemTable } from '../routing/table.ts';
import { CapabilitySetNotifier } from './capability-set-notifier.ts';
import type { ListedClient } from './listed-client.ts';

type Lists = ItemTable['lists'];

export interface ListChangedListener {
  /** The sender whose lists the listener gets. */
  readonly sender: Sender;
  /** Called when a list changed, with the notification's method and the notification as JSON text. */
  listChanged(method: string, json: string): void;
}

export interface ListChangedOptions {
  readonly sessions: ReadonlySet<ListedClient>;
  /** Further receivers of changes, such as streams of stateless clients. */
  readonly listeners: ReadonlySet<ListChangedListener>;
  /** Whether clients find tools by the optimizer in place of a list. */
  readonly hasOptimizer: () => boolean;
  /** Returns the current lists of clients with a capability set. */
  readonly getLists: (capabilitySet: CapabilitySet) => Lists;
}

/** Changes other than those of the lists themselves. */
export interface ListChange {
  /** Whether the policies that decide which caller sees which items have changed. */
  readonly isVisibleChanged: boolean;
  /** Whether the list of tools was replaced by the optimizer, or the optimizer by the list. */
  readonly isListReplaced: boolean;
}

export class ListChangedNotifications {
  readonly #sessions: ReadonlySet<ListedClient>;
  readonly #listeners: ReadonlySet<ListChangedListener>;
  readonly #hasOptimizer: () => boolean;
  readonly #capabilitySets: CapabilitySetNotifier;

  constructor({ sessions, listeners, hasOptimizer, getLists }: ListChangedOptions) {
    this.#sessions = sessions;
    this.#listeners = listeners;
    this.#hasOptimizer = hasOptimizer;
    this.#capabilitySets = new CapabilitySetNotifier(sessions, getLists);
  }

  /** The capability sets of the current sessions. */
  get capabilitySets(): readonly CapabilitySet[] {
    return this.#capabilitySets.capabilitySets;
  }

  /** Called when a client with a capability set has connected: it is notified of changes from now on. */
  capabilitySetJoined(capabilitySet: CapabilitySet): void {
    this.#capabilitySets.joined(capabilitySet);
  }

  /** Called when another table is served: notifies of the changed lists. */
  tableReplaced(before: ItemTable, after: ItemTable, { isVisibleChanged, isListReplaced }: ListChange): void {
    const isRelisted = isVisibleChanged || !areSameNames(before.askingCallers, after.askingCallers);
    // Callers with lists of their own are notified of these separately.
    const kinds = isListReplaced ? KINDS : this.#readKinds;
    const changed = kinds.filter(({ kind }) => isRelisted || !after.lists[kind].equals(before.lists[kind]));
    for (const method of new Set(changed.map(traits => traits.changedMethod))) {
      const json = formatNotification(method);
      for (const session of this.#sessions) if (session.payload.capabilitySet === undefined) session.send(json);
      for (const listener of this.#listeners) listener.listChanged(method, json);
    }
    this.#capabilitySets.announce(before.lists, isRelisted, kinds);
  }

  /**
   * Called when the lists of a backend for clients with a capability set have changed.
   * @param lists the lists that are the same for all
   */
  capabilitySetChanged(lists: Lists): void {
    this.#capabilitySets.announce(lists, false, this.#readKinds);
  }

  /**
   * Called when a backend has announced changes of lists that are unchanged. Clients of the stateless revision have subscribed to such notifications
   * by kind, and get them as they would directly, for lists that contain an item of the backend.
   */
  repeat(table: ItemTable, backend: string, methods: readonly string[]): void {
    for (const method of methods) {
      if (!this.#readKinds.some(({ kind, changedMethod }) => changedMethod === method && shows(table, kind, backend)))
        continue;
      const json = formatNotification(method);
      for (const listener of this.#listeners) listener.listChanged(method, json);
    }
  }

  /** Notifies only this caller that its lists changed. */
  callerChanged(caller: string, kinds: ReadonlySet<ItemKind>): void {
    const methods = new Set(this.#readKinds.filter(({ kind }) => kinds.has(kind)).map(traits => traits.changedMethod));
    const notify = (sender: Sender, send: (method: string, json: string) => void) => {
      if (getListKey(sender) !== caller) return;
      for (const method of methods) send(method, formatNotification(method));
    };
    for (const session of this.#sessions) notify(session.payload.sender, (_method, json) => session.send(json));
    for (const listener of this.#listeners) {
      notify(listener.sender, (method, json) => listener.listChanged(method, json));
    }
  }

  /** The kinds of lists that clients read. */
  get #readKinds(): typeof KINDS {
    return this.#hasOptimizer() ? KINDS.filter(({ kind }) => kind !== 'tools') : KINDS;
  }
}

function formatNotification(method: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method });
}

/** Whether clients' lists contain an item of a backend. */
function shows(table: ItemTable, kind: ItemKind, backend: string): boolean {
  const routes = kind === 'resourceTemplates' ? table.templates : table[kind];
  return [...routes.values()].some(route => route.backend === backend);
}

function areSameNames(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && [...a].every(name => b.has(name));
}
