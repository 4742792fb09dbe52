/** Objects one by one: check them against their schemas, find them by name, and run the rules about single objects. */
import { ACCEPTED_API_GROUPS, FOREIGN_KINDS } from '#schemas';
import { checkObject } from '../check/check-object.ts';
import { withoutDoubt } from '../check/doubt.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { duplicateObjects } from '../resolve/duplicates.ts';
import { Inventory, type Resource } from '../resolve/inventory.ts';
import type { QueryCache } from '../resolve/query-cache.ts';
import { deniedHosts } from '../rules/denied-hosts.ts';
import { RULE_COUNT, runRules, runRulesInDoubt } from '../rules/run-rules.ts';
import { stdioImage } from '../servers/stdio-images.ts';
import { type Classification, classify, type ResourceDocument } from '../source/classify.ts';
import { KINDS } from '../source/kinds.ts';
import type { Sources } from '../source/read-sources.ts';
import type { CompileOptions } from './compilation.ts';

export interface CheckedObjects {
  /** Without errors of the check. */
  readonly resources: readonly Resource[];
  /** With errors, as rules may see them. */
  readonly inDoubt: readonly Resource[];
  readonly inventory: Inventory;
  /** The inventory as objects with errors see it. */
  readonly withDoubt: Inventory;
  /** Too broken to say what they describe. */
  readonly broken: readonly ResourceDocument[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the objects of our kinds, and what they may refer to, among all documents. */
export function classifySources(
  { documents, leftOut, named }: Sources,
  apiGroups: readonly string[],
  defaultNamespace: string | undefined,
  memory: QueryCache,
): Classification {
  const options = {
    groups: [...ACCEPTED_API_GROUPS, ...apiGroups],
    kinds: [...KINDS.keys()],
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
    return memory.of('checked', document, () => checkObject(document));
  });
  const core = targets.map(target => memory.of('core', target, () => coreResource(target)));
  const resources = checked.flatMap(({ resource }) => resource ?? []);
  const broken = [
    ...rejected,
    ...checked.filter(({ resource }) => resource === undefined).map(({ document }) => document),
  ];
  const inventory = new Inventory([...resources, ...core], broken);
  // Objects with errors see one another as far as they are sound. Sound ones do without them: their errors decide about bundles.
  const inDoubt = checked.flatMap(({ inDoubt }) => inDoubt ?? []);
  const withDoubt =
    inDoubt.length === 0
      ? inventory
      : new Inventory([...checked.flatMap(({ resource, inDoubt }) => resource ?? inDoubt ?? []), ...core], broken);
  const diagnostics = [
    ...checked.flatMap(({ diagnostics }) => diagnostics),
    ...duplicateObjects([...ours, ...targets]),
  ];
  return { resources, inDoubt, inventory, withDoubt, broken, diagnostics };
}

export interface JudgedObjects {
  readonly diagnostics: readonly Diagnostic[];
  /** What errors kept from being judged. */
  readonly open: { readonly objects: number; readonly rules: number };
}

/** Runs the rules about single objects; on one with errors as far as these leave it certain. */
export function runObjectRules(
  { resources, inDoubt, broken, inventory, withDoubt }: CheckedObjects,
  { denial, target, onProgress }: CompileOptions,
  memory: QueryCache,
): JudgedObjects {
  const inPart = inDoubt.map(resource =>
    memory.among('judged in part', resource, withDoubt, all => runRulesInDoubt(resource, all)),
  );
  const notAtAll = broken.length - inDoubt.length;
  return {
    diagnostics: [
      ...resources.flatMap((resource, done, { length: total }) => {
        onProgress?.({ work: 'applying rules', done, total, object: resource.document.object });
        return memory.among('judged', resource, inventory, all => runRules(resource, all));
      }),
      ...inPart.flatMap(({ found }) => found),
      ...resources.flatMap(resource => deniedHosts(resource, denial)),
      ...resources.flatMap(resource => stdioImage(resource, target)),
      ...inDoubt.flatMap(resource => withoutDoubt(() => deniedHosts(resource, denial))?.result ?? []),
    ],
    open: {
      objects: inPart.filter(({ open }) => open > 0).length + notAtAll,
      rules: inPart.reduce((sum, { open }) => sum + open, notAtAll * RULE_COUNT),
    },
  };
}

/** A Secret or ConfigMap. */
function coreResource(document: ResourceDocument): Resource {
  const { kind, namespace, name } = document;
  return { document, kind, namespace, name, spec: document.doc.value as object, written: document.doc.value };
}
