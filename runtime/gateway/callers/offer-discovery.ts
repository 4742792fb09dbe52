import { type BackendPlan, mayShow } from '#schemas';
import type { BackendError } from '../backends/backend.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import { waitAtMost } from '../backends/wait-at-most.ts';
import type { BackendConnection } from '../connection.ts';
import { mayBeLocked } from '../offers/locked-offer.ts';
import { NOTHING_OFFERED } from '../offers/offered-items.ts';
import type { PerCallerConnection, ServedBundle } from '../served-bundle.ts';
import type { CapabilitySet } from './capability-set.ts';

export interface OfferDiscoveryOptions {
  /** The current bundle. */
  readonly served: () => ServedBundle;
  /** Resolves when every backend was tried once. */
  readonly settled: Promise<void>;
  /** How long the first list of a caller waits for its backends; milliseconds. */
  readonly firstListWaitMs: number;
}

/** What is known of the items of all backends together, and finds out for a caller what is not. */
export class OfferDiscovery {
  readonly #served: () => ServedBundle;
  readonly #settled: Promise<void>;
  readonly #firstListWaitMs: number;

  constructor({ served, settled, firstListWaitMs }: OfferDiscoveryOptions) {
    this.#served = served;
    this.#settled = settled;
    this.#firstListWaitMs = firstListWaitMs;
  }

  /**
   * Resolves when it is known where the name of a tool or prompt leads. With prefixes only those backends have a say in it
   * whose prefix begins the name, and they are asked before the others; with other strategies any of them may, and under
   * `partialFailureMode: fail` all of them have to be there.
   */
  async ownerKnown(name: string): Promise<void> {
    const { bundle, connections } = this.#served();
    const needsAll = bundle.aggregation.strategy !== 'prefix' || bundle.operational.partialFailure === 'fail';
    if (needsAll || this.#isWorkflow(name)) return this.#settled;
    const rivals = bundle.backends
      .filter(({ tools }) => name.startsWith(tools.prefix))
      .flatMap(plan => connections.get(plan.name)?.monitor ?? []);
    for (const monitor of rivals) monitor.start();
    await Promise.race([this.#settled, Promise.all(rivals.map(monitor => monitor.settled))]);
  }

  /**
   * A backend that is away, has listed nothing to this caller since the start, and could have a name as far as the plan says. Only
   * prefixes decide that: with other strategies any backend could have any name.
   */
  unavailableOwner(name: string, kind: 'tool' | 'prompt', sender: Sender): BackendConnection | undefined {
    const { bundle, connections } = this.#served();
    // Its steps may call a tool of any backend.
    if (kind === 'tool' && this.#isWorkflow(name))
      return [...connections.values()].find(
        connection => !connection.monitor.available && !isDiscovered(connection, sender),
      );
    if (bundle.aggregation.strategy !== 'prefix') return undefined;
    for (const plan of bundle.backends) {
      const { name: backend, tools } = plan;
      const connection = connections.get(backend);
      if (connection === undefined || connection.monitor.available) continue;
      // The table has what the lock says of such a name: its backend does not hold it, or it would have been found.
      if (mayBeLocked(plan, kind, name)) continue;
      if (isDiscovered(connection, sender) || !name.startsWith(tools.prefix)) continue;
      if (kind === 'prompt' || mayShow(tools, name.slice(tools.prefix.length))) return connection;
    }
    return undefined;
  }

  /** Backends may offer this sender something else than the gateway itself. */
  dependsOnSender({ capabilitySet }: Sender): boolean {
    return capabilitySet !== undefined || this.#served().perCaller.length > 0;
  }

  /** Backends of which it is not known what they offer to clients like the sender's: all, or those that can have this name. */
  undiscoveredByCapabilitySet({ capabilitySet }: Sender, name?: string): readonly BackendConnection[] {
    if (capabilitySet === undefined) return [];
    const { bundle, connections } = this.#served();
    return bundle.backends.flatMap(plan => {
      const connection = connections.get(plan.name);
      const isUnread = connection?.capabilitySets.isPending(capabilitySet) === true && this.#canHave(plan, name);
      return isUnread ? [connection] : [];
    });
  }

  /**
   * Backends that answer callers only, and have not answered this one yet: all of them, or those that can have this name of a
   * tool or prompt.
   */
  undiscoveredByCaller(sender: Sender, name?: string): readonly PerCallerConnection[] {
    const { perCaller } = this.#served();
    return perCaller.filter(({ plan, discovery }) => discovery.isPending(sender) && this.#canHave(plan, name));
  }

  /**
   * Finds out in the name of a caller what those backends offer that answer callers only; for the name of a tool or prompt,
   * those of them that can have it. Waits for what this caller has not asked before, at most as long as a first list does.
   *
   * @returns why backends refused this caller
   */
  async discover(sender: Sender, name?: string): Promise<readonly BackendError[]> {
    const refusals: BackendError[] = [];
    if (sender.rules.areReplaced) return refusals;
    const { perCaller } = this.#served();
    const asked = this.undiscoveredByCaller(sender, name);
    for (const { plan, discovery } of perCaller) if (this.#canHave(plan, name)) discovery.refresh(sender);
    const { capabilitySet } = sender;
    const reading = this.undiscoveredByCapabilitySet(sender, name).map(({ capabilitySets }) =>
      capabilitySets.discover(capabilitySet as CapabilitySet),
    );
    if (asked.length === 0 && reading.length === 0) return refusals;
    const discovering = asked.map(async ({ discovery }) => {
      const refusal = await discovery.discover(sender);
      if (refusal !== undefined) refusals.push(refusal);
    });
    await waitAtMost(Promise.all([...discovering, ...reading]), this.#firstListWaitMs);
    for (const { discovery } of asked) discovery.hasWaited(sender);
    return refusals;
  }

  #canHave({ tools }: BackendPlan, name: string | undefined): boolean {
    const { aggregation } = this.#served().bundle;
    if (name === undefined || aggregation.strategy !== 'prefix' || name.startsWith(tools.prefix)) return true;
    // Its steps may call a tool of any of them.
    return this.#isWorkflow(name);
  }

  #isWorkflow(name: string): boolean {
    return this.#served().bundle.workflows?.some(workflow => workflow.name === name) === true;
  }
}

/** It is known what the backend offers a caller. */
function isDiscovered({ monitor, discovery }: BackendConnection, sender: Sender): boolean {
  if (monitor.health.mcpRevision === null) return false;
  const hasOwnLists = discovery !== undefined && monitor.items === NOTHING_OFFERED;
  return !hasOwnLists || discovery.findList(getListKey(sender)) !== undefined;
}
