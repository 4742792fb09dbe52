/** The classes of callers that policies distinguish, with what the grant of each class permits. */
import { compareText } from '#schemas';
import { EVERYONE, grantKey, listGrants } from './caller-sets.ts';
import type { CallerClass, Exposure, Who } from './exposure.ts';

type ExposedItems = Pick<Exposure, 'tools' | 'composites' | 'prompts' | 'resources' | 'resourceTemplates'>;

/**
 * The class of all callers comes first, if policies permit something to everyone; then each distinct grant. A caller who fits several
 * grants reaches what any of them permits.
 */
export function listCallerClasses(offered: ExposedItems): readonly CallerClass[] {
  const all: readonly Who[] = [
    ...offered.tools.map(({ reach }) => reach),
    ...[offered.composites, offered.prompts, offered.resources, offered.resourceTemplates].flatMap(items =>
      items.map(({ direct }) => direct),
    ),
  ];
  const grants = new Map(all.flatMap(listGrants).map(grant => [grantKey(grant), grant]));
  const some = [...grants].sort(([a], [b]) => compareText(a, b));
  return [
    ...(all.some(({ type }) => type === 'everyone')
      ? [buildClass(EVERYONE, offered, ({ type }) => type === 'everyone')]
      : []),
    ...some.map(([key, grant]) =>
      buildClass({ type: 'some', anyOf: [grant] }, offered, who =>
        listGrants(who).some(entry => grantKey(entry) === key),
      ),
    ),
  ];
}

function buildClass(who: Who, offered: ExposedItems, includes: (who: Who) => boolean): CallerClass {
  const names = <T>(items: readonly T[], of: (item: T) => Who, name: (item: T) => string) =>
    items.filter(item => includes(of(item))).map(name);
  const uris = [...offered.resources, ...offered.resourceTemplates];
  return {
    who,
    tools: names(
      offered.tools,
      ({ reach }) => reach,
      ({ name }) => name,
    ),
    composites: names(
      offered.composites,
      ({ direct }) => direct,
      ({ name }) => name,
    ),
    prompts: names(
      offered.prompts,
      ({ direct }) => direct,
      ({ name }) => name,
    ),
    resources: names(
      uris,
      ({ direct }) => direct,
      ({ uri }) => uri,
    ),
  };
}
