/** The cluster as a destination of compiled revisions. */
import type { CompiledUnit } from '../compile/index.ts';
import type { KubeClient, KubeObject, ObjectCache, ObjectType } from '../kube/types.ts';
import type { PodReport } from '../pods/index.ts';
import type { Destination, PlannedChange, Rollout } from '../reconcile/index.ts';
import { mapApiError } from './api-error.ts';
import { ApplyCache } from './apply-cache.ts';
import { applyChanges } from './apply-changes.ts';
import { type ApplyContext, getCached, getSeen } from './apply-context.ts';
import { evaluateDeployment, getTemplateDigest, readDeploymentRelease } from './deployment-health.ts';
import { LabelledObjects } from './desired-objects.ts';
import { formatInventoryId, toObjectKey } from './identity.ts';
import { orphanObjects } from './owner.ts';
import { planRevision } from './plan.ts';
import type { ClusterChange } from './plan-object.ts';
import { prune } from './prune.ts';
import { findDeployment, listRecordedManifests } from './record.ts';
import { Records } from './records.ts';
import { rollBackUnit } from './roll-back.ts';
import { runInParallel } from './run-in-parallel.ts';
import { HASH_ANNOTATION, readAnnotation, type SourceIdentity } from './source-labels.ts';
import { computeManifestsDigest } from './trusted-activation.ts';

const PARALLEL = 8;

type UnitKey = Pick<CompiledUnit, 'kind' | 'namespace' | 'name'>;

export interface ClusterDestinationOptions {
  readonly source: SourceIdentity;
  /** The ServiceAccount to act as; by default the controller's own. */
  readonly account?: { readonly namespace: string; readonly name: string } | undefined;
  readonly client: KubeClient;
  /**
   * Finds the cache of a type; undefined for types without a watch, whose objects cost a call each time. A cache must keep the data that
   * `trimForCache` keeps.
   */
  findCache(type: ObjectType): ObjectCache | undefined;
  /** Whether a GatewaySource of that `namespace/name` exists. */
  isSource(title: string): boolean;
  /** The known pods of a gateway or registry server. */
  listPods(unit: UnitKey, signal: AbortSignal): Promise<readonly PodReport[]>;
  /** Changes whenever the known state of the pods of a gateway or registry server changes. Default: on every call. */
  getVersionOfPods?(unit: UnitKey): string;
  /** Called for each change that was made or refused. */
  readonly onApplied?: ApplyContext['onApplied'];
  readonly onMissingSecret?: ApplyContext['onMissingSecret'];
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Keep the destination as long as the source exists: it caches what it applied, so that runs without changes are cheap. Losing the cache only
 * costs calls.
 */
export function createClusterDestination(options: ClusterDestinationOptions): Destination {
  const { source, account, client } = options;
  const on: ApplyContext = {
    source,
    client: account === undefined ? client : client.as(account),
    cache: new ApplyCache(),
    findCache: type => options.findCache(type),
    isSource: title => options.isSource(title),
    onApplied: options.onApplied,
    onMissingSecret: options.onMissingSecret,
  };
  const stamps = new LabelledObjects(source);
  const records = new Records(on, stamps);
  const settled = new WeakMap<CompiledUnit, SettledDeployment>();
  return {
    knowsHealth: true,
    plan: (outcome, before, signal) => planRevision(on, stamps, records, outcome, before, signal),
    apply: (changes, signal) =>
      applyChanges(
        on,
        changes.map(change => toClusterChange(change)),
        signal,
      ),
    prune: (deletions, signal) => prune(on, deletions, signal),
    orphan: (entries, signal) => orphanObjects(on, entries, signal),
    rollBack: (unit, back, signal) => rollBackUnit(on, stamps, records, unit, back, signal),
    findRelease: unit => {
      const deployment = findDeployment(unit);
      return deployment && readDeploymentRelease(deployment, stamps.stamp(deployment).hash);
    },
    rollouts: async (units, signal) => {
      const outcomes = await runInParallel(units, PARALLEL, async unit => {
        const around = { deployment: findCachedDeployment(on, unit), pods: options.getVersionOfPods?.(unit) };
        const known = settled.get(unit);
        if (known !== undefined && known.deployment === around.deployment && known.pods === around.pods) {
          return known.rollout;
        }
        const rollout = await observeRollout(on, stamps, options, unit, signal);
        if (rollout?.isCurrent === true && rollout.state === 'active') {
          await records.add({ manifests: unit.manifests, digest: rollout.digest }, options.now(), signal);
          const { deployment, pods } = around;
          if (deployment !== undefined && pods !== undefined) settled.set(unit, { deployment, pods, rollout });
        }
        return rollout;
      });
      return outcomes.flatMap(outcome => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value === undefined ? [] : [withoutCurrency(outcome.value)];
      });
    },
  };
}

/**
 * A gateway or registry server that was healthy, and the state of the cluster from which this was concluded. Pods serve the digest that they were
 * created with, so while that state is unchanged they need not be queried again.
 */
interface SettledDeployment {
  readonly deployment: KubeObject;
  readonly pods: string;
  readonly rollout: ObservedRollout;
}

/** The Deployment as the cache has it. Cached objects are never modified, only replaced, so two results can be compared by identity. */
function findCachedDeployment(on: ApplyContext, unit: CompiledUnit): KubeObject | undefined {
  const deployment = findDeployment(unit);
  return deployment && getCached(on, toObjectKey(deployment));
}

interface ObservedRollout extends Rollout {
  /** Whether the Deployment is the one that the revision wants. */
  readonly isCurrent: boolean;
}

function withoutCurrency({ isCurrent: _, ...rollout }: ObservedRollout): Rollout {
  return rollout;
}

async function observeRollout(
  on: ApplyContext,
  stamps: LabelledObjects,
  options: ClusterDestinationOptions,
  unit: CompiledUnit,
  signal: AbortSignal,
): Promise<ObservedRollout | undefined> {
  const desired = findDeployment(unit);
  if (desired === undefined || unit.digest === null) return undefined;
  const { kind, namespace, name } = unit;
  const about = { unit: { kind, namespace, name }, isCurrent: false } as const;
  const key = toObjectKey(desired);
  const deployment = await mapApiError({ key }, getSeen(on, key, signal));
  const digest = deployment && getTemplateDigest(deployment);
  if (deployment === undefined || digest === undefined) {
    return { ...about, digest: unit.digest, state: 'progressing', message: `Deployment ${key.name} does not exist` };
  }
  const hash = readAnnotation(deployment, HASH_ANNOTATION);
  const isCurrent = hash === stamps.stamp(desired).hash;
  // A person may have changed the image; the hash shows what was applied.
  const release = hash && readDeploymentRelease(isCurrent ? desired : deployment, hash);
  return {
    ...about,
    isCurrent,
    digest,
    release,
    ...(isCurrent && { manifests: computeManifestsDigest(listRecordedManifests(unit)) }),
    ...evaluateDeployment(digest, deployment, await options.listPods(about.unit, signal)),
  };
}

/** Converts a change to one with the object's state. A change that does not come from `plan` has no such state: it is unknown. */
function toClusterChange(change: PlannedChange | ClusterChange): ClusterChange {
  if ('hash' in change) return change;
  return {
    ...change,
    id: formatInventoryId(toObjectKey(change.object)),
    hash: readAnnotation(change.object, HASH_ANNOTATION) ?? '',
    live: undefined,
  };
}
