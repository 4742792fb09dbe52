/** REST paths of types: a static table instead of discovery, because the used types are known. */
import { ACCEPTED_API_GROUPS, DEPRECATED_VERSION, KINDS_FILE, STORAGE_VERSION } from '#schemas';
import type { ObjectKey, ObjectType } from './types.ts';

export interface ApiResource {
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** Types of Kubernetes that the controller reads, applies or may prune, by `apiVersion/kind`. */
const BUILT_IN: { readonly [type: string]: string } = {
  'v1/ConfigMap': 'configmaps',
  'v1/Event': 'events',
  'v1/Pod': 'pods',
  'v1/Secret': 'secrets',
  'v1/Service': 'services',
  'v1/ServiceAccount': 'serviceaccounts',
  'v1/PersistentVolumeClaim': 'persistentvolumeclaims',
  'apps/v1/Deployment': 'deployments',
  'apps/v1/ReplicaSet': 'replicasets',
  'apps/v1/StatefulSet': 'statefulsets',
  'autoscaling/v2/HorizontalPodAutoscaler': 'horizontalpodautoscalers',
  'coordination.k8s.io/v1/Lease': 'leases',
  'discovery.k8s.io/v1/EndpointSlice': 'endpointslices',
  'events.k8s.io/v1/Event': 'events',
  'networking.k8s.io/v1/NetworkPolicy': 'networkpolicies',
  'networking.k8s.io/v1/Ingress': 'ingresses',
  'policy/v1/PodDisruptionBudget': 'poddisruptionbudgets',
  'rbac.authorization.k8s.io/v1/Role': 'roles',
  'rbac.authorization.k8s.io/v1/RoleBinding': 'rolebindings',
};

const CLUSTER_WIDE: { readonly [type: string]: string } = {
  'v1/Namespace': 'namespaces',
  'v1/Node': 'nodes',
  'apiextensions.k8s.io/v1/CustomResourceDefinition': 'customresourcedefinitions',
  'rbac.authorization.k8s.io/v1/ClusterRole': 'clusterroles',
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': 'clusterrolebindings',
};

const RESOURCES: ReadonlyMap<string, ApiResource> = new Map<string, ApiResource>([
  ...Object.entries(BUILT_IN).map(([type, plural]) => [type, { plural, isNamespaced: true }] as [string, ApiResource]),
  ...Object.entries(CLUSTER_WIDE).map(
    ([type, plural]) => [type, { plural, isNamespaced: false }] as [string, ApiResource],
  ),
  ...ACCEPTED_API_GROUPS.flatMap(group =>
    [STORAGE_VERSION, DEPRECATED_VERSION].flatMap(version =>
      Object.values(KINDS_FILE).map(
        ({ kind, plural }) => [`${group}/${version}/${kind}`, { plural, isNamespaced: true }] as [string, ApiResource],
      ),
    ),
  ),
]);

/** The path segment of a type, and whether it is namespaced; undefined for unknown types. */
export function findResource({ apiVersion, kind }: ObjectType): ApiResource | undefined {
  return RESOURCES.get(`${apiVersion}/${kind}`);
}

/**
 * The path of all objects of a type, in one namespace or in all of them.
 *
 * @throws TypeError for an unknown type, which is a bug
 */
export function formatCollectionPath(type: ObjectType, namespace: string | undefined): string {
  const resource = findResource(type);
  if (resource === undefined) throw new TypeError(`no REST path is known for ${type.apiVersion} ${type.kind}`);
  const root = type.apiVersion.includes('/') ? `/apis/${type.apiVersion}` : `/api/${type.apiVersion}`;
  const inside = resource.isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${inside}/${resource.plural}`;
}

/** `Kind namespace/name`, for messages. */
export function formatKey({ kind, namespace, name }: ObjectKey): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/**
 * The path of one object.
 * @throws TypeError for an unknown type, and for a namespaced object without a namespace
 */
export function formatObjectPath(type: ObjectType, namespace: string | undefined, name: string): string {
  if (name === '') throw new TypeError(`${type.kind}: an object without a name`);
  if (findResource(type)?.isNamespaced === true && (namespace === undefined || namespace === '')) {
    throw new TypeError(`${type.kind} ${name}: its namespace is not known`);
  }
  return `${formatCollectionPath(type, namespace)}/${encodeURIComponent(name)}`;
}
