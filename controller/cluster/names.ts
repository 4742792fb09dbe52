/** How this program and its objects are called in the cluster. */
import type { KubeObject } from '../kube/types.ts';

/** Name of the Lease, and of who reports events. */
export const NAME = 'lintel-controller';

export function namespacedName({ metadata: { namespace, name } }: Pick<KubeObject, 'metadata'>): string {
  return `${namespace}/${name}`;
}
