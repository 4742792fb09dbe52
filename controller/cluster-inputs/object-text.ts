/** Converts cluster objects to texts for the compiler. */
import { compareText } from '#schemas';
import type { KubeObject } from '../kube/types.ts';

/** The file name in messages. */
export function formatClusterFile({ kind, metadata: { namespace = '', name } }: KubeObject): string {
  return `cluster:${kind}/${namespace}/${name}`;
}

/**
 * The object in handwritten form, without status and server-managed fields. The same object gives the same text, regardless of the order of its
 * members. JSON is valid YAML and faster to write.
 */
export function formatClusterObject({ apiVersion, kind, metadata, spec, data }: KubeObject): string {
  const { name, namespace, labels, annotations = {} } = metadata;
  const own = Object.entries(annotations).filter(([key]) => !NOISE.includes(key));
  const object = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels: sortMembers(labels) }),
      ...(own.length === 0 ? {} : { annotations: sortMembers(Object.fromEntries(own)) }),
    },
    ...(spec === undefined ? {} : { spec: sortMembers(spec) }),
    ...(data === undefined ? {} : { data: sortMembers(data) }),
  };
  return `${JSON.stringify(object, null, 2)}\n`;
}

/** Annotations of tools: copies of the whole object, and rollout markers. */
const NOISE: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  'kubectl.kubernetes.io/restartedAt',
  'deployment.kubernetes.io/revision',
];

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => compareText(a, b))
      .map(([key, member]) => [key, sortMembers(member)]),
  );
}
