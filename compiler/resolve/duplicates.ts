import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';

/** Two objects of one kind, namespace and name: which one a cluster keeps depends on the order of applying. */
export function duplicateObjects(documents: readonly ResourceDocument[]): Diagnostic[] {
  const first = new Map<string, ResourceDocument>();
  return documents.flatMap(document => {
    const { kind, namespace, name } = document;
    const key = `${kind}/${namespace}/${name}`;
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, document);
      return [];
    }
    return [
      diagnose(
        document,
        'LNT2006',
        ['metadata', 'name'],
        `${kind} "${name}" in namespace "${namespace}" is defined twice`,
        { related: [createRelatedLocation('the first definition', earlier.doc, ['metadata', 'name'])] },
      ),
    ];
  });
}
