import type { ResourceDocument } from '#compiler';
import type { KubeObject } from '../kube/types.ts';
import { isOfCluster } from './cluster-file.ts';

/** Kinds that are checked but never applied from a repository: a source could extend its own permissions. */
const NOT_APPLIED: ReadonlySet<string> = new Set(['GatewaySource']);

/** The repository's objects as written, each with its namespace; the same objects while their files are unchanged. */
export function createObjects(): (documents: readonly ResourceDocument[]) => readonly KubeObject[] {
  const made = new WeakMap<ResourceDocument['doc'], { readonly namespace: string; readonly object: KubeObject }>();
  return documents =>
    documents
      .filter(({ doc, kind }) => !isOfCluster(doc.file) && !NOT_APPLIED.has(kind))
      .map(({ doc, namespace }) => {
        const known = made.get(doc);
        if (known?.namespace === namespace) return known.object;
        const manifest = doc.value as KubeObject;
        const object = { ...manifest, metadata: { ...manifest.metadata, namespace } };
        made.set(doc, { namespace, object });
        return object;
      });
}
