/** Names of this program and its objects in the cluster. */
import type { KubeObject } from '../kube/types.ts';

/** Name of the Lease, and of the event reporter. */
export const NAME = 'lintel-controller';

export function formatNamespacedName({ metadata: { namespace, name } }: Pick<KubeObject, 'metadata'>): string {
  return `${namespace}/${name}`;
}
