import { diagnose } from '../check/diagnose.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { createRelatedLocation } from '../source/locate-finding.ts';

/** Reports objects with the same kind, namespace and name: the order of applying decides which one a cluster keeps. */
export function checkDuplicateObjects(documents: readonly ResourceDocument[]): Diagnostic[] {
  const first = new Map<string, ResourceDocument>();
  return documents.flatMap(document => {
    const { kind, namespace, name } = document;
    const key = `${kind}/${namespace}/${name}`;
    const previous = first.get(key);
    if (previous === undefined) {
      first.set(key, document);
      return [];
    }
    return [
      diagnose(
        document,
        'LNT2006',
        ['metadata', 'name'],
        `${kind} "${name}" in namespace "${namespace}" is defined twice`,
        { related: [createRelatedLocation('the first definition', previous.doc, ['metadata', 'name'])] },
      ),
    ];
  });
}
