import type { Built } from '#compiler';
import type { KubeObject } from '../kube/types.ts';

/** What runs a bundle in a cluster. */
export function manifestsFor(
  _built: Built,
  _settings: { readonly image?: string | undefined; readonly networkPolicy?: boolean | undefined },
): readonly KubeObject[] {
  return [];
}
