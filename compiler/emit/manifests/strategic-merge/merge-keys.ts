/**
 * Which lists of a pod template are merged, and by which member of their items; all others are replaced. These are the
 * `patchMergeKey` marks of core/v1.
 *
 * @see https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.34/#podspec-v1-core
 */
export interface Shape {
  readonly [field: string]: {
    /** Of a list of mappings: items with the same value of this member are one. */
    readonly key?: string;
    /** A list of plain values that is a set. */
    readonly isSet?: true;
    /** Of what is in it: the mapping, or each item of the list. */
    readonly of?: Shape;
  };
}

const METADATA: Shape = { finalizers: { isSet: true }, ownerReferences: { key: 'uid' } };

const CONTAINER: Shape = {
  env: { key: 'name' },
  ports: { key: 'containerPort' },
  volumeDevices: { key: 'devicePath' },
  volumeMounts: { key: 'mountPath' },
};

const VOLUME: Shape = {
  ephemeral: { of: { volumeClaimTemplate: { of: { metadata: { of: METADATA } } } } },
};

const POD: Shape = {
  containers: { key: 'name', of: CONTAINER },
  ephemeralContainers: { key: 'name', of: CONTAINER },
  hostAliases: { key: 'ip' },
  imagePullSecrets: { key: 'name' },
  initContainers: { key: 'name', of: CONTAINER },
  resourceClaims: { key: 'name' },
  schedulingGates: { key: 'name' },
  topologySpreadConstraints: { key: 'topologyKey' },
  volumes: { key: 'name', of: VOLUME },
};

export const POD_TEMPLATE: Shape = { metadata: { of: METADATA }, spec: { of: POD } };
