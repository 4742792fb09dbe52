/** The destination of each source's objects, with the permissions of the source's account and the source as owner. */
import { buildSelectorLabels } from '#schemas';
import { createClusterDestination, OWNABLE_KINDS, type SourceIdentity } from '../apply/index.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import type { PodReader } from '../pods/index.ts';
import type { Destination, ObservedSource } from '../reconcile/index.ts';
import { createAppliedEvent, createMissingSecretEvent } from '../status/index.ts';
import type { Accounts } from './accounts.ts';
import type { Caches } from './caches.ts';
import type { InMemorySourceStates } from './source-states.ts';
import type { WorkloadStatus } from './workload-status.ts';

export interface DestinationsOptions {
  readonly client: KubeClient;
  readonly accounts: Accounts;
  readonly caches: Caches;
  readonly pods: PodReader;
  readonly memories: InMemorySourceStates;
  readonly workloads: WorkloadStatus;
  /** Called after each attempt to apply an object whose result appears in a workload's status, successful or not. */
  readonly onReported: (object: KubeObject) => void;
}

export class Destinations {
  readonly #options: DestinationsOptions;

  constructor(options: DestinationsOptions) {
    this.#options = options;
  }

  /** The destination of a source: the same instance while the source and its account stay the same. */
  getDestination(source: ObservedSource): Destination {
    const account = this.#options.accounts.of(source);
    const memory = this.#options.memories.getOrCreate(source);
    const identity = toSourceIdentity(source);
    const madeFrom = JSON.stringify([identity, account]);
    if (memory.destination?.madeFrom === madeFrom) return memory.destination.destination;
    const destination = this.#create(identity, account);
    memory.destination = { madeFrom, destination };
    return destination;
  }

  #create(source: SourceIdentity, account: ReturnType<Accounts['of']>): Destination {
    const { client, caches, pods, workloads, onReported } = this.#options;
    return createClusterDestination({
      source,
      account,
      client,
      findCache: type => caches.findCache(type),
      isSource: title => {
        const [otherNamespace, otherName = ''] = title.split('/');
        return caches.sources.get(otherNamespace, otherName) !== undefined;
      },
      listPods: unit => pods.reports({ namespace: unit.namespace, labels: buildSelectorLabels(unit) }),
      getVersionOfPods: unit => pods.getVersion({ namespace: unit.namespace, labels: buildSelectorLabels(unit) }),
      onApplied: ({ action, object }, error) => {
        const event = createAppliedEvent({ action, object }, error);
        if (event === undefined) return;
        workloads.announceLater(object, event);
        onReported(object);
      },
      onMissingSecret: ({ object, message }) => {
        // If no gateway or server exists yet that the event could belong to, the event is about the source.
        if (workloads.listKeys(object).length === 0) return;
        workloads.announceLater(object, createMissingSecretEvent(message));
        onReported(object);
      },
      now: Date.now,
    });
  }
}

/** Objects that outlive a source are not owned by it. */
function toSourceIdentity({ metadata, spec }: ObservedSource): SourceIdentity {
  const { namespace = '', name, uid } = metadata;
  const { prune = true, deletion } = spec;
  if (!prune || uid === undefined) return { namespace, name };
  const kinds = OWNABLE_KINDS.filter(kind => deletion?.protectedKinds?.includes(kind) !== true);
  return { namespace, name, owns: { uid, kinds } };
}
