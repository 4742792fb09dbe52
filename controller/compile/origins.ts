import type { ResourceDocument } from '#compiler';
import { isOfCluster } from './cluster-file.ts';
import type { CompileOutcome } from './outcome.ts';

type ObjectOrigin = NonNullable<CompileOutcome['origins']>[string];

/** The start of each object in the repository; computed once per document. */
export function createOrigins(): (documents: readonly ResourceDocument[]) => NonNullable<CompileOutcome['origins']> {
  const known = new WeakMap<ResourceDocument['doc'], ObjectOrigin>();
  return documents =>
    Object.fromEntries(
      documents
        .filter(({ doc }) => !isOfCluster(doc.file))
        .map(({ doc, kind, namespace, name }) => {
          const origin = known.get(doc) ?? { file: doc.file, line: doc.locate(['kind'], 'key').start.line };
          known.set(doc, origin);
          return [`${kind}/${namespace}/${name}`, origin];
        }),
    );
}
