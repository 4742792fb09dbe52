/** Compiles single objects: checks them against their schemas, indexes them by name, and runs the rules about single objects. */
import { ACCEPTED_API_GROUPS, FOREIGN_KINDS, OWN_KINDS } from '#schemas';
import { type CheckedObject, checkObject } from '../check/check-object.ts';
import { withoutDoubt } from '../check/doubt.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { checkDuplicateObjects } from '../resolve/duplicates.ts';
import { Inventory, type Resource } from '../resolve/inventory.ts';
import type { QueryCache } from '../resolve/query-cache.ts';
import { committedCredentials } from '../rules/committed-credentials.ts';
import { deniedHosts } from '../rules/denied-hosts.ts';
import { RULE_COUNT, runRules, runRulesInDoubt } from '../rules/run-rules.ts';
import { checkIdleProgram } from '../servers/idle-programs.ts';
import { checkStdioImage } from '../servers/stdio-images.ts';
import { type Classification, classify, type ResourceDocument } from '../source/classify.ts';
import { KINDS } from '../source/kinds.ts';
import type { Sources } from '../source/read-sources.ts';
import type { CompileOptions } from './compilation.ts';

export interface CheckedObjects {
  /** Objects without errors of the check. */
  readonly resources: readonly Resource[];
  /** Objects with errors, as proxies for rules. */
  readonly inDoubt: readonly Resource[];
  readonly inventory: Inventory;
  /** The same objects without proxies, with the parts that their errors affect. */
  readonly doubts: ReadonlyMap<ResourceDocument, NonNullable<CheckedObject['doubt']>>;
  /** The inventory that rules about objects with errors see. */
  readonly withDoubt: Inventory;
  /** Secrets and ConfigMaps. */
  readonly core: readonly Resource[];
  /** Objects that were rejected, or cannot be used because of their errors. */
  readonly broken: readonly ResourceDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the objects of Lintel's kinds among all documents, and the objects that they may refer to. */
export function classifySources(
  { documents, leftOut, named }: Sources,
  apiGroups: readonly string[],
  defaultNamespace: string | undefined,
  memory: QueryCache,
): Classification {
  const options = {
    groups: [...ACCEPTED_API_GROUPS, ...apiGroups],
    kinds: [...KINDS.keys()],
    ownKinds: OWN_KINDS,
    foreignKinds: FOREIGN_KINDS,
    named,
    ...(defaultNamespace !== undefined && { defaultNamespace }),
  };
  return classify(documents, options, memory, leftOut);
}

export function checkObjects(
  { resources: ours, targets, rejected }: Classification,
  { onProgress }: Pick<CompileOptions, 'onProgress'>,
  memory: QueryCache,
): CheckedObjects {
  const checked = ours.map((document, done, { length: total }) => {
    onProgress?.({ work: 'checking objects', done, total, object: document.object });
    return memory.getOrCompute('checked', document, () => checkObject(document));
  });
  const core = targets.map(target => memory.getOrCompute('core', target, () => toCoreResource(target)));
  const resources = checked.flatMap(({ resource }) => resource ?? []);
  const broken = [
    ...rejected,
    ...checked.filter(({ resource }) => resource === undefined).map(({ document }) => document),
  ];
  const inventory = new Inventory([...resources, ...core], broken);
  // A rule that checks an object with errors sees the valid parts of other such objects. A rule that checks a valid object sees none of them.
  const inDoubt = checked.flatMap(({ inDoubt }) => inDoubt ?? []);
  const withDoubt =
    inDoubt.length === 0
      ? inventory
      : new Inventory([...checked.flatMap(({ resource, inDoubt }) => resource ?? inDoubt ?? []), ...core], broken);
  const doubts = new Map(checked.flatMap(({ document, doubt }) => (doubt === undefined ? [] : [[document, doubt]])));
  const diagnostics = [
    ...checked.flatMap(({ diagnostics }) => diagnostics),
    ...checkDuplicateObjects([...ours, ...targets]),
  ];
  return { resources, inDoubt, doubts, inventory, withDoubt, core, broken, diagnostics };
}

export interface ObjectFindings {
  readonly diagnostics: readonly Diagnostic[];
  /** How many objects have an error that kept a rule from being evaluated, and how many rules that were, counted for each object. */
  readonly open: { readonly objects: number; readonly rules: number };
}

/** Runs the rules about single objects. For an object with errors, only findings about its unaffected parts count. */
export function runObjectRules(
  { resources, inDoubt, core, broken, inventory, withDoubt }: CheckedObjects,
  { denial, target, onProgress }: CompileOptions,
  memory: QueryCache,
): ObjectFindings {
  const inPart = inDoubt.map(resource =>
    memory.getOrComputeAmong('checked in part', resource, withDoubt, all => runRulesInDoubt(resource, all)),
  );
  const bySettings: readonly ((resource: Resource) => Diagnostic[])[] = [
    resource => deniedHosts(resource, denial),
    resource => checkStdioImage(resource, target),
    resource => checkIdleProgram(resource, inventory, target),
  ];
  const notAtAll = broken.length - inDoubt.length;
  return {
    diagnostics: [
      ...resources.flatMap((resource, done, { length: total }) => {
        onProgress?.({ work: 'applying rules', done, total, object: resource.document.object });
        return memory.getOrComputeAmong('judged', resource, inventory, all => runRules(resource, all));
      }),
      ...inPart.flatMap(({ found }) => found),
      ...core.flatMap(({ document }) =>
        memory.getOrCompute('committed', document, () => committedCredentials(toCoreResource(document))),
      ),
      ...bySettings.flatMap(rule => resources.flatMap(rule)),
      ...bySettings.flatMap(rule => inDoubt.flatMap(resource => withoutDoubt(() => rule(resource))?.result ?? [])),
    ],
    open: {
      objects: inPart.filter(({ open }) => open > 0).length + notAtAll,
      rules: inPart.reduce((sum, { open }) => sum + open, notAtAll * RULE_COUNT),
    },
  };
}

/** A Secret or ConfigMap. */
function toCoreResource(document: ResourceDocument): Resource {
  const { kind, namespace, name } = document;
  return { document, kind, namespace, name, spec: document.doc.value as object, authored: document.doc.value };
}
