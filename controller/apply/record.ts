/**
 * Which bundles of a unit were in service, and what ran the last of them: a ConfigMap next to the unit. It outlives restarts and upgrades
 * of the controller, which might derive other manifests from the same bundle, and a change of the image or the pod template that left the
 * bundle as it was.
 */
import { canonicalJson, DIGEST_ANNOTATION, objectName } from '#schemas';
import type { CompiledUnit } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';

/** Bundles that stay for going back to them, by restoring or by `kubectl rollout undo`. */
const MAX_BUNDLES = 5;

/** Activations of which it is known what ran them: the last good one, and the one before, for when only the later was written down. */
const MAX_RESTORABLE = 2;

/** Characters of the name of an object. */
const MAX_NAME = 253;

const SUFFIX = '-history';
const MEMBER = 'activations.json';

/** A time when every ready pod of a unit came to run a bundle. */
export interface Activation {
  readonly digest: string;
  /** RFC 3339. */
  readonly since: string;
  /** Names of the ConfigMaps that hold it. */
  readonly configMaps: readonly string[];
  /** What ran it, without its bundle; not of older ones. */
  readonly manifests?: readonly KubeObject[];
}

/** The record without what is in it. Undefined for what nothing runs. */
export function createRecord(unit: Pick<CompiledUnit, 'manifests'>): KubeObject | undefined {
  const deployment = findDeployment(unit);
  if (deployment === undefined) return undefined;
  const { name, namespace, labels } = deployment.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${objectName(name, MAX_NAME - SUFFIX.length)}${SUFFIX}`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
    },
  };
}

export function findDeployment(unit: Pick<CompiledUnit, 'manifests'>): KubeObject | undefined {
  return unit.manifests.find(manifest => manifest.kind === 'Deployment');
}

/** Whether an object is a bundle, or a part of one. */
export function isBundle(object: KubeObject): boolean {
  return object.kind === 'ConfigMap' && object.metadata.annotations?.[DIGEST_ANNOTATION] !== undefined;
}

/** The newest first; none of a record that cannot be read, as if it had never been written. */
export function parseActivations(record: KubeObject | undefined): readonly Activation[] {
  const text = (record?.data as { readonly [name: string]: unknown } | undefined)?.[MEMBER];
  if (typeof text !== 'string') return [];
  try {
    const activations: unknown = JSON.parse(text);
    return Array.isArray(activations) ? activations.filter(isActivation) : [];
  } catch {
    return [];
  }
}

export function withActivations(record: KubeObject, activations: readonly Activation[]): KubeObject {
  return { ...record, data: { [MEMBER]: JSON.stringify(activations) } };
}

/**
 * The activations with that of `unit` as the newest one; undefined when it already is.
 *
 * @param since RFC 3339
 */
export function withActivation(
  activations: readonly Activation[],
  unit: Pick<CompiledUnit, 'manifests'> & { readonly digest: string },
  since: string,
): readonly Activation[] | undefined {
  const manifests = unit.manifests.filter(manifest => !isBundle(manifest));
  const [newest] = activations;
  if (newest?.digest === unit.digest && canonicalJson(newest.manifests ?? []) === canonicalJson(manifests)) {
    return undefined;
  }
  const configMaps = unit.manifests.filter(isBundle).map(manifest => manifest.metadata.name);
  const all: readonly Activation[] = [{ digest: unit.digest, since, configMaps, manifests }, ...activations];
  const kept: Activation[] = [];
  const digests = new Set<string>();
  for (const [at, activation] of all.entries()) {
    const isRestorable = at < MAX_RESTORABLE && activation.manifests !== undefined;
    const isKnown = digests.has(activation.digest);
    if (isKnown ? !isRestorable : digests.size === MAX_BUNDLES) continue;
    digests.add(activation.digest);
    kept.push(isRestorable ? activation : withoutManifests(activation));
  }
  return kept;
}

function withoutManifests({ digest, since, configMaps }: Activation): Activation {
  return { digest, since, configMaps };
}

function isActivation(value: unknown): value is Activation {
  const { digest, since, configMaps } = (value ?? {}) as { readonly [name: string]: unknown };
  return typeof digest === 'string' && typeof since === 'string' && Array.isArray(configMaps);
}
