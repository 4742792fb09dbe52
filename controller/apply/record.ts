/**
 * A ConfigMap for each gateway or registry server that records its active bundles, and the manifests that ran the last bundles. It survives restarts
 * and upgrades of the controller, which may generate other manifests for the same bundle, and changes of the image or pod template with the same
 * bundle.
 */
import { DIGEST_ANNOTATION, formatCanonicalJson, toObjectName } from '#schemas';
import type { CompiledUnit } from '../compile/index.ts';
import type { KubeObject } from '../kube/types.ts';

/** Number of bundles that stay in the cluster, for rollbacks by the controller or by `kubectl rollout undo`. */
const MAX_BUNDLES = 5;

/** Number of newest activations that are recorded with their manifests: the last good one and the one before it. */
const MAX_RESTORABLE = 2;

/** Maximum length of an object name. */
const MAX_NAME = 253;

const SUFFIX = '-history';
const MEMBER = 'activations.json';

/** A moment when every ready pod of a gateway or registry server ran a bundle. */
export interface Activation {
  readonly digest: string;
  /** RFC 3339. */
  readonly since: string;
  /** Names of the ConfigMaps with the bundle. */
  readonly configMaps: readonly string[];
  /** The manifests without the bundle; missing for older activations. */
  readonly manifests?: readonly KubeObject[];
}

/** The record of a gateway or registry server, still without activations; undefined when it has no workload. */
export function createRecord(unit: Pick<CompiledUnit, 'manifests'>): KubeObject | undefined {
  const deployment = findDeployment(unit);
  if (deployment === undefined) return undefined;
  const { name, namespace, labels } = deployment.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${toObjectName(name, MAX_NAME - SUFFIX.length)}${SUFFIX}`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
    },
  };
}

export function findDeployment(unit: Pick<CompiledUnit, 'manifests'>): KubeObject | undefined {
  return unit.manifests.find(manifest => manifest.kind === 'Deployment');
}

/** Whether an object is a bundle or part of one. */
export function isBundle(object: KubeObject): boolean {
  return object.kind === 'ConfigMap' && object.metadata.annotations?.[DIGEST_ANNOTATION] !== undefined;
}

/** The objects that run a gateway or registry server, except its bundle, whose name identifies its content. */
export function listRecordedManifests({ manifests }: Pick<CompiledUnit, 'manifests'>): readonly KubeObject[] {
  return manifests.filter(manifest => !isBundle(manifest));
}

/** The activations in a record, newest first; empty when it is unreadable. */
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
 * Adds the activation of `unit` as the newest one; undefined when the newest activation already is the same.
 * @param since RFC 3339
 */
export function withActivation(
  activations: readonly Activation[],
  unit: Pick<CompiledUnit, 'manifests'> & { readonly digest: string },
  since: string,
): readonly Activation[] | undefined {
  const manifests = listRecordedManifests(unit);
  const [newest] = activations;
  if (
    newest?.digest === unit.digest &&
    formatCanonicalJson(newest.manifests ?? []) === formatCanonicalJson(manifests)
  ) {
    return undefined;
  }
  const configMaps = unit.manifests.filter(isBundle).map(manifest => manifest.metadata.name);
  const all: readonly Activation[] = [{ digest: unit.digest, since, configMaps, manifests }, ...activations];
  const latest: Activation[] = [];
  const digests = new Set<string>();
  for (const [at, activation] of all.entries()) {
    const isRestorable = at < MAX_RESTORABLE && activation.manifests !== undefined;
    const isKnown = digests.has(activation.digest);
    if (isKnown ? !isRestorable : digests.size === MAX_BUNDLES) continue;
    digests.add(activation.digest);
    latest.push(isRestorable ? activation : withoutManifests(activation));
  }
  return latest;
}

function withoutManifests({ digest, since, configMaps }: Activation): Activation {
  return { digest, since, configMaps };
}

function isActivation(value: unknown): value is Activation {
  const { digest, since, configMaps, manifests } = (value ?? {}) as { readonly [name: string]: unknown };
  return (
    typeof digest === 'string' &&
    typeof since === 'string' &&
    Array.isArray(configMaps) &&
    (manifests === undefined || (Array.isArray(manifests) && hasCanonicalForm(manifests)))
  );
}

/** Whether a value can be compared. Each person who may write ConfigMaps can write a record: an odd value in it must not stop the source. */
function hasCanonicalForm(value: unknown): boolean {
  try {
    formatCanonicalJson(value);
    return true;
  } catch {
    return false;
  }
}
