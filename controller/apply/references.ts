/** The Secrets and ConfigMaps without which the pods of a Deployment do not start. */
import type { KubeObject } from '../kube/types.ts';

export interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  /** Required keys; empty when any key is enough. */
  readonly keys: readonly string[];
  /** Whether pods start without the object, perhaps with a warning, as with image pull Secrets. */
  readonly isOptional: boolean;
}

interface SpecPart {
  readonly [name: string]: unknown;
}

/** Every cluster creates it in every namespace. */
const ROOT_CA = 'kube-root-ca.crt';

/** Each object once, with all required keys. */
export function findReferences(deployment: KubeObject): readonly Reference[] {
  const pod = toPart(toPart(toPart(deployment.spec).template).spec);
  const containers = [...toParts(pod.initContainers), ...toParts(pod.containers)];
  const all = [
    ...containers.flatMap(container => toParts(container.env).flatMap(listVariableReferences)),
    ...containers.flatMap(container => toParts(container.envFrom).flatMap(listEnvironmentReferences)),
    ...toParts(pod.volumes).flatMap(listVolumeReferences),
    ...toParts(pod.imagePullSecrets).flatMap(({ name }) => toReferences('Secret', name, [], true)),
  ];
  return mergeReferences(all.filter(({ name }) => name !== ROOT_CA));
}

function listVariableReferences({ valueFrom }: SpecPart): readonly Reference[] {
  const { secretKeyRef, configMapKeyRef } = toPart(valueFrom);
  return [
    ...listKeyReferences('Secret', toPart(secretKeyRef)),
    ...listKeyReferences('ConfigMap', toPart(configMapKeyRef)),
  ];
}

function listKeyReferences(kind: Reference['kind'], { name, key, optional }: SpecPart): readonly Reference[] {
  return toReferences(kind, name, typeof key === 'string' ? [key] : [], optional === true);
}

function listEnvironmentReferences({ secretRef, configMapRef }: SpecPart): readonly Reference[] {
  return [...listKeyReferences('Secret', toPart(secretRef)), ...listKeyReferences('ConfigMap', toPart(configMapRef))];
}

function listVolumeReferences({ secret, configMap, projected }: SpecPart): readonly Reference[] {
  const { secretName, items, optional } = toPart(secret);
  return [
    ...toReferences('Secret', secretName, listKeys(items), optional === true),
    ...listMountedReferences('ConfigMap', toPart(configMap)),
    ...toParts(toPart(projected).sources).flatMap(source => [
      ...listMountedReferences('Secret', toPart(source.secret)),
      ...listMountedReferences('ConfigMap', toPart(source.configMap)),
    ]),
  ];
}

function listMountedReferences(kind: Reference['kind'], { name, items, optional }: SpecPart): readonly Reference[] {
  return toReferences(kind, name, listKeys(items), optional === true);
}

function listKeys(items: unknown): readonly string[] {
  return toParts(items).flatMap(({ key }) => (typeof key === 'string' ? [key] : []));
}

function toReferences(
  kind: Reference['kind'],
  name: unknown,
  keys: readonly string[],
  isOptional: boolean,
): readonly Reference[] {
  return typeof name === 'string' ? [{ kind, name, keys, isOptional }] : [];
}

function mergeReferences(references: readonly Reference[]): readonly Reference[] {
  const groups = Map.groupBy(references, ({ kind, name, isOptional }) => `${kind}/${name}/${isOptional}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, keys: [...new Set([first, ...others].flatMap(({ keys }) => keys))].sort() }],
  );
}

function toPart(value: unknown): SpecPart {
  return typeof value === 'object' && value !== null ? (value as SpecPart) : {};
}

function toParts(value: unknown): readonly SpecPart[] {
  return Array.isArray(value) ? value.map(toPart) : [];
}
