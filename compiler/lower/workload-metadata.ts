import type { Resource } from '../resolve/inventory.ts';

/** Annotations for the platform and the compiler, which say nothing about a backend. */
const FOREIGN_PREFIXES = [
  'kubernetes.io/',
  'kubectl.kubernetes.io/',
  'deployment.kubernetes.io/',
  'k8s.io/',
  'lintel.dev/',
];

/** A backend's labels: the workload's annotations, overridden by what Lintel knows itself. */
export function buildWorkloadMetadata(
  workload: Resource,
  workloadType: string,
  group: string | undefined,
): { readonly [key: string]: string } {
  const annotations = Object.entries(readAnnotations(workload)).filter(
    ([key]) => !FOREIGN_PREFIXES.some(prefix => key.startsWith(prefix)),
  );
  return {
    ...Object.fromEntries(annotations),
    tool_type: 'mcp',
    workload_type: workloadType,
    namespace: workload.namespace,
    ...(group === undefined ? {} : { group }),
  };
}

/** The annotations of an object; empty when there are none. */
export function readAnnotations(workload: Resource): { readonly [key: string]: string } {
  const { metadata } = workload.document.doc.value as { metadata: { annotations?: { [key: string]: string } } };
  return metadata.annotations ?? {};
}
