/** Checks that pods' Secrets and ConfigMaps exist, before any pod is changed. Values are not read. */
import { KubeError } from '../kube/kube-error.ts';
import { formatKey } from '../kube/resource-path.ts';
import type { KubeClient, KubeObject } from '../kube/types.ts';
import { ReconcileError } from '../reconcile/index.ts';
import { toReconcileError } from './api-error.ts';
import { toObjectKey } from './identity.ts';
import { findReferences, type Reference } from './references.ts';
import { runInParallel } from './run-in-parallel.ts';

const PARALLEL = 8;

export interface MissingReferences {
  readonly errors: readonly unknown[];
  /** Missing references to a Secret or to one of its keys. */
  readonly secrets: readonly MissingSecret[];
  /** Printable notes: targets that could not be checked, or are optional. */
  readonly notes: readonly string[];
}

export interface MissingSecret {
  /** The object whose pods cannot start without the Secret or key. */
  readonly object: KubeObject;
  /** Printable: the missing Secret or key, and what to do. */
  readonly message: string;
}

interface NeededReference {
  readonly deployment: KubeObject;
  readonly reference: Reference;
  readonly isChanged: boolean;
}

/** The keys of an object; undefined when it does not exist. */
type Keys = ReadonlySet<string> | undefined;

export interface CheckedObjects {
  /** Workloads that are about to change. */
  readonly changed: readonly KubeObject[];
  /** Workloads that stay as they are: their pods run already, so that a missing object is only a note. */
  readonly unchanged: readonly KubeObject[];
  /** Objects that the same run applies: a Secret or ConfigMap among them need not exist yet. */
  readonly desired: readonly KubeObject[];
}

export async function checkReferences(
  { changed, unchanged, desired }: CheckedObjects,
  client: KubeClient,
  signal: AbortSignal,
): Promise<MissingReferences> {
  const needsOf = (deployment: KubeObject, isChanged: boolean) =>
    findReferences(deployment).map((reference): NeededReference => ({ deployment, reference, isChanged }));
  const needs = [
    ...changed.flatMap(deployment => needsOf(deployment, true)),
    ...unchanged.flatMap(deployment => needsOf(deployment, false)),
  ];
  const ours = new Map(desired.map(object => [formatKey(toObjectKey(object)), object]));
  const looked = new Map<string, Promise<Keys>>();
  const readKeys = (need: NeededReference): Promise<Keys> => {
    const key = {
      apiVersion: 'v1',
      kind: need.reference.kind,
      namespace: getNamespace(need),
      name: need.reference.name,
    };
    const title = formatKey(key);
    const own = ours.get(title);
    const keys =
      looked.get(title) ?? (own ? Promise.resolve(readObjectKeys(own)) : client.get(key, signal).then(readObjectKeys));
    looked.set(title, keys);
    return keys;
  };
  const errors: unknown[] = [];
  const secrets: MissingSecret[] = [];
  const notes = new Set<string>();
  const outcomes = await runInParallel(needs, PARALLEL, async need => describeLack(need, await readKeys(need)));
  for (const [at, outcome] of outcomes.entries()) {
    const need = needs[at] as NeededReference;
    if (outcome.status === 'rejected') {
      signal.throwIfAborted();
      if (outcome.reason instanceof KubeError && (!need.isChanged || outcome.reason.failure === 'forbidden')) {
        notes.add(`${formatTarget(need)} could not be checked: ${outcome.reason.message}`);
      } else {
        errors.push(toReconcileError(outcome.reason, { key: toObjectKey(need.deployment) }));
      }
    } else if (outcome.value !== undefined) {
      if (need.reference.isOptional || !need.isChanged) notes.add(outcome.value);
      else {
        errors.push(new ReconcileError('DependencyNotReady', 'retry', outcome.value));
        if (need.reference.kind === 'Secret') secrets.push({ object: need.deployment, message: outcome.value });
      }
    }
  }
  return { errors, secrets, notes: [...notes] };
}

/** Describes what is missing, as a sentence. */
function describeLack(need: NeededReference, found: Keys): string | undefined {
  const { keys } = need.reference;
  const needer = formatKey(toObjectKey(need.deployment));
  if (found === undefined) {
    const whole = keys.length === 0 ? '' : ` with ${keys.map(key => JSON.stringify(key)).join(' and ')}`;
    return `${formatTarget(need)}, which ${needer} needs, does not exist: create it${whole}`;
  }
  const lacking = keys.filter(key => !found.has(key));
  if (lacking.length === 0) return undefined;
  const names = lacking.map(key => JSON.stringify(key)).join(' and ');
  return `${formatTarget(need)} has no key ${names}, which ${needer} needs: add it`;
}

function formatTarget(need: NeededReference): string {
  return formatKey({ apiVersion: 'v1', ...need.reference, namespace: getNamespace(need) });
}

function getNamespace({ deployment }: NeededReference): string | undefined {
  return deployment.metadata.namespace;
}

function readObjectKeys(object: KubeObject | undefined): Keys {
  if (object === undefined) return undefined;
  return new Set([object.data, object.binaryData].flatMap(values => Object.keys(values ?? {})));
}
