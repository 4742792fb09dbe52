import type { ResourceDocument } from '#compiler';
import { isOfCluster } from './cluster-file.ts';
import type { FoundDiagnostic } from './outcome.ts';

/** Findings about objects outside of the only allowed namespace. */
export function checkNamespaces(
  objects: readonly ResourceDocument[],
  target: string | undefined,
): readonly FoundDiagnostic[] {
  if (target === undefined) return [];
  return objects
    .filter(({ doc, namespace }) => namespace !== target && !isOfCluster(doc.file))
    .map(({ doc, kind, namespace, name }) => {
      const { start } = doc.locate(['metadata', 'namespace'], 'value');
      return {
        code: 'LNT1060',
        severity: 'error',
        message: `namespace "${namespace}" is not "${target}", the targetNamespace of the GatewaySource`,
        file: doc.file,
        line: start.line,
        column: start.column,
        object: `${kind}/${namespace}/${name}`,
      };
    });
}
