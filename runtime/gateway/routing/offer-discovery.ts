import type { BackendPlan } from '#schemas';
import { mayShow } from '#shared/plan';
import type { BackendError } from '../../mcp/backend-error.ts';
import type { CapabilitySet } from '../backends/capability-set.ts';
import { getListKey, type Sender } from '../backends/sender.ts';
import { waitAtMost } from '../backends/wait-at-most.ts';
import type { BackendConnection } from '../connections/connection.ts';
import { mayBeLocked } from '../offers/locked-offer.ts';
import { NOTHING_OFFERED } from '../offers/offered-items.ts';
import type { PerCallerConnection, ServedBundle } from '../served-bundle.ts';

export interface OfferDiscoveryOptions {
  /** Returns the bundle that is served now. */
  readonly served: () => ServedBundle;
  /** Resolves when the gateway has probed every backend once. */
  readonly settled: Promise<void>;
  /** How long a caller's first list waits for its backends; milliseconds. */
  readonly firstListWaitMs: number;
}

/** The known items of all backends together. Reads a caller's missing lists. */
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
   * Resolves when the owner of a tool's or prompt's name is known. With prefixes only the backends whose prefix begins the name can own it, and the
   * gateway reads their lists before those of other backends. With other strategies any backend can own it, and with `partialFailureMode: fail` all
   * backends must be available.
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
   * A backend that is unavailable, has given this caller no lists since the start, and could own a name according to the plan. Only prefixes
   * decide that: with other strategies any backend could own any name.
   */
  findUnavailableOwner(name: string, kind: 'tool' | 'prompt', sender: Sender): BackendConnection | undefined {
    const { bundle, connections } = this.#served();
    // The workflow's steps may call a tool of any backend.
    if (kind === 'tool' && this.#isWorkflow(name))
      return [...connections.values()].find(
        connection => !connection.monitor.available && !isDiscovered(connection, sender),
      );
    if (bundle.aggregation.strategy !== 'prefix') return undefined;
    for (const plan of bundle.backends) {
      const { name: backend, tools } = plan;
      const connection = connections.get(backend);
      if (connection === undefined || connection.monitor.available) continue;
      // The table contains the lock's entries for such a name, so the backend does not own it, or the table would contain it.
      if (mayBeLocked(plan, kind, name)) continue;
      if (isDiscovered(connection, sender) || !name.startsWith(tools.prefix)) continue;
      if (kind === 'prompt' || mayShow(tools, name.slice(tools.prefix.length))) return connection;
    }
    return undefined;
  }

  /** Whether backends may give this sender other lists than they give the gateway. */
  dependsOnSender({ capabilitySet }: Sender): boolean {
    return capabilitySet !== undefined || this.#served().perCaller.length > 0;
  }

  /** Backends whose lists for clients with the sender's capabilities are not known: all of them, or those that can own this name. */
  listUndiscoveredByCapabilitySet({ capabilitySet }: Sender, name?: string): readonly BackendConnection[] {
    if (capabilitySet === undefined) return [];
    const { bundle, connections } = this.#served();
    return bundle.backends.flatMap(plan => {
      const connection = connections.get(plan.name);
      const isUnread = connection?.capabilitySets.isPending(capabilitySet) === true && this.#canHave(plan, name);
      return isUnread ? [connection] : [];
    });
  }

  /**
   * Backends that answer only callers, and have not answered this caller yet: all of them, or those that can own this name of a tool or
   * prompt.
   */
  listUndiscoveredByCaller(sender: Sender, name?: string): readonly PerCallerConnection[] {
    const { perCaller } = this.#served();
    return perCaller.filter(({ plan, discovery }) => discovery.isPending(sender) && this.#canHave(plan, name));
  }

  /**
   * Reads, on behalf of a caller, the lists of backends that answer only callers; for the name of a tool or prompt, only of those that can own
   * it. Waits for lists that this caller has not requested before, at most as long as a first list does.
   * @returns why backends refused this caller
   */
  async discover(sender: Sender, name?: string): Promise<readonly BackendError[]> {
    const refusals: BackendError[] = [];
    if (sender.rules.isSuperseded) return refusals;
    const { perCaller } = this.#served();
    const undiscovered = this.listUndiscoveredByCaller(sender, name);
    for (const { plan, discovery } of perCaller) if (this.#canHave(plan, name)) discovery.refresh(sender);
    const { capabilitySet } = sender;
    const reading = this.listUndiscoveredByCapabilitySet(sender, name).map(({ capabilitySets }) =>
      capabilitySets.discover(capabilitySet as CapabilitySet),
    );
    if (undiscovered.length === 0 && reading.length === 0) return refusals;
    const discovering = undiscovered.map(async ({ discovery }) => {
      const refusal = await discovery.discover(sender);
      if (refusal !== undefined) refusals.push(refusal);
    });
    await waitAtMost(Promise.all([...discovering, ...reading]), this.#firstListWaitMs);
    for (const { discovery } of undiscovered) discovery.hasWaited(sender);
    return refusals;
  }

  #canHave({ tools }: BackendPlan, name: string | undefined): boolean {
    const { aggregation } = this.#served().bundle;
    if (name === undefined || aggregation.strategy !== 'prefix' || name.startsWith(tools.prefix)) return true;
    // A workflow's steps may call a tool of any of these backends.
    return this.#isWorkflow(name);
  }

  #isWorkflow(name: string): boolean {
    return this.#served().bundle.workflows?.some(workflow => workflow.name === name) === true;
  }
}

/** Whether the backend's lists for a caller are known. */
function isDiscovered({ monitor, discovery }: BackendConnection, sender: Sender): boolean {
  if (monitor.health.mcpRevision === null) return false;
  const hasOwnLists = discovery !== undefined && monitor.items === NOTHING_OFFERED;
  return !hasOwnLists || discovery.findList(getListKey(sender)) !== undefined;
}
