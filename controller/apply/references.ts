/** The Secrets and ConfigMaps that pods of a Deployment cannot start without. */
import type { KubeObject } from '../kube/types.ts';

export interface Reference {
  readonly kind: 'Secret' | 'ConfigMap';
  readonly name: string;
  /** That it must have; empty when any will do. */
  readonly keys: readonly string[];
  /** Pods start without it, if with a warning: as with Secrets for pulling images. */
  readonly isOptional: boolean;
}

interface Part {
  readonly [name: string]: unknown;
}

/** Every cluster puts it into every namespace. */
const ROOT_CA = 'kube-root-ca.crt';

/** Each object once, with all of its keys that are needed. */
export function findReferences(deployment: KubeObject): readonly Reference[] {
  const pod = partOf(partOf(partOf(deployment.spec).template).spec);
  const containers = [...partsOf(pod.initContainers), ...partsOf(pod.containers)];
  const all = [
    ...containers.flatMap(container => partsOf(container.env).flatMap(ofVariable)),
    ...containers.flatMap(container => partsOf(container.envFrom).flatMap(ofVariables)),
    ...partsOf(pod.volumes).flatMap(ofVolume),
    ...partsOf(pod.imagePullSecrets).flatMap(({ name }) => reference('Secret', name, [], true)),
  ];
  return merged(all.filter(({ name }) => name !== ROOT_CA));
}

function ofVariable({ valueFrom }: Part): readonly Reference[] {
  const { secretKeyRef, configMapKeyRef } = partOf(valueFrom);
  return [...ofKey('Secret', partOf(secretKeyRef)), ...ofKey('ConfigMap', partOf(configMapKeyRef))];
}

function ofKey(kind: Reference['kind'], { name, key, optional }: Part): readonly Reference[] {
  return reference(kind, name, typeof key === 'string' ? [key] : [], optional === true);
}

function ofVariables({ secretRef, configMapRef }: Part): readonly Reference[] {
  return [...ofKey('Secret', partOf(secretRef)), ...ofKey('ConfigMap', partOf(configMapRef))];
}

function ofVolume({ secret, configMap, projected }: Part): readonly Reference[] {
  const { secretName, items, optional } = partOf(secret);
  return [
    ...reference('Secret', secretName, keysOf(items), optional === true),
    ...ofMounted('ConfigMap', partOf(configMap)),
    ...partsOf(partOf(projected).sources).flatMap(source => [
      ...ofMounted('Secret', partOf(source.secret)),
      ...ofMounted('ConfigMap', partOf(source.configMap)),
    ]),
  ];
}

function ofMounted(kind: Reference['kind'], { name, items, optional }: Part): readonly Reference[] {
  return reference(kind, name, keysOf(items), optional === true);
}

function keysOf(items: unknown): readonly string[] {
  return partsOf(items).flatMap(({ key }) => (typeof key === 'string' ? [key] : []));
}

function reference(
  kind: Reference['kind'],
  name: unknown,
  keys: readonly string[],
  isOptional: boolean,
): readonly Reference[] {
  return typeof name === 'string' ? [{ kind, name, keys, isOptional }] : [];
}

function merged(references: readonly Reference[]): readonly Reference[] {
  const groups = Map.groupBy(references, ({ kind, name, isOptional }) => `${kind}/${name}/${isOptional}`);
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ ...first, keys: [...new Set([first, ...others].flatMap(({ keys }) => keys))].sort() }],
  );
}

function partOf(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {};
}

function partsOf(value: unknown): readonly Part[] {
  return Array.isArray(value) ? value.map(partOf) : [];
}
