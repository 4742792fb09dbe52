import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isError } from '../diagnostics/is-error.ts';
import type { ResourceDocument } from '../source/classify.ts';
import { KINDS } from '../source/kinds.ts';
import type { Path } from '../source/source-document.ts';
import { checkRules } from './cel/check-rules.ts';
import { startsWith } from './cel/rule-reads.ts';
import { checkDocument } from './check-document.ts';
import { withDefaults } from './defaults.ts';
import { markResourceInDoubt } from './doubt.ts';
import type { Resource } from './resource.ts';

export interface CheckedObject {
  readonly document: ResourceDocument;
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined when the API server would refuse the document. */
  readonly resource: Resource | undefined;
  /** An object that the API server would refuse, for rules about its unaffected parts; undefined when errors affect everything. */
  readonly inDoubt: Resource | undefined;
  /** The object and the parts of it that its errors affect. */
  readonly doubt?: { readonly resource: Resource; readonly paths: readonly Path[] };
}

/** Checks an object by the schema of its kind and the schema's rules. */
export function checkObject(document: ResourceDocument): CheckedObject {
  const kind = KINDS.get(document.kind);
  if (kind === undefined) throw new Error(`classified a document of the unknown kind ${document.kind}`);
  const structure = checkDocument(document, kind);
  const { authored } = structure;
  if (structure.doubtful === undefined || structure.doubtful.some(leavesAllOpen))
    return { document, diagnostics: structure.diagnostics, resource: undefined, inDoubt: undefined };
  const { namespace, name } = document;
  const spec = (structure.spec ?? withDefaults(kind.spec, {})) as object;
  const toCheck = authored === undefined ? undefined : spec;
  const rules = checkRules(document, kind.spec, toCheck, ['spec'], structure.doubtful);
  const diagnostics = [...structure.diagnostics, ...rules.diagnostics];
  const resource = { document, kind: kind.kind, namespace, name, spec, authored };
  if (!diagnostics.some(isError)) return { document, diagnostics, resource, inDoubt: undefined };
  const doubtful = [...structure.doubtful, ...rules.doubtful];
  if (doubtful.some(leavesAllOpen)) return { document, diagnostics, resource: undefined, inDoubt: undefined };
  const inDoubt = markResourceInDoubt(resource, doubtful);
  return { document, diagnostics, resource: undefined, inDoubt, doubt: { resource, paths: doubtful } };
}

const ESSENTIAL: readonly Path[] = [
  ['apiVersion'],
  ['kind'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['spec'],
];

/** Whether the error makes the object's identity or its whole spec uncertain. */
function leavesAllOpen(doubtful: Path): boolean {
  return ESSENTIAL.some(path => startsWith(path, doubtful));
}
