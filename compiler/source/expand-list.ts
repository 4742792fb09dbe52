import { getMember, isObject } from '#schemas';
import { createDiagnostic, type Diagnostic, type Range } from '../diagnostics/diagnostic.ts';
import { formatPointer } from '../text/pointer.ts';
import { MAX_DOCUMENTS_PER_FILE } from './limits.ts';
import { locateValue } from './locate-finding.ts';
import { reportMissingIdentity } from './missing-identity.ts';
import type { ReadResult } from './read-result.ts';
import type { Path, ProgramLocations, SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** Possible API versions of a `List`, in which the version is often omitted. */
const CORE_VERSIONS: readonly unknown[] = ['v1', undefined, null];

/**
 * Replaces each `kind: List`, as `kubectl get -o yaml` prints it, by its items. Lists may be nested. Each item is a document of its own, whose
 * paths start at the item.
 */
export function expandLists(documents: readonly SourceDocument[]): ReadResult {
  const results = documents.map(expand);
  return {
    documents: results.flatMap(result => result.documents),
    diagnostics: results.flatMap(result => result.diagnostics),
  };
}

function expand(document: SourceDocument): ReadResult {
  if (!isObject(document.value) || getMember(document.value, 'kind') !== 'List')
    return { documents: [document], diagnostics: [] };
  if (!Object.hasOwn(document.value, 'items')) {
    // Another API may have a kind named `List`.
    if (!CORE_VERSIONS.includes(getMember(document.value, 'apiVersion')))
      return { documents: [document], diagnostics: [] };
    return {
      documents: [],
      diagnostics: [reportMissingIdentity(document, 'LNT1010', ['items'], 'the List has no items')],
    };
  }
  const items = getMember(document.value, 'items') ?? [];
  if (!Array.isArray(items)) return refuseList(document, 'LNT1004', 'the items of a List must be a list');
  if (items.length > MAX_DOCUMENTS_PER_FILE)
    return refuseList(document, 'LNT1017', `the List has more than ${MAX_DOCUMENTS_PER_FILE} items`);
  const documents = items.flatMap((value, index) =>
    value === null ? [] : [new ListItem(document, ['items', index], value)],
  );
  return expandLists(documents);
}

function refuseList(document: SourceDocument, code: 'LNT1004' | 'LNT1017', message: string): ReadResult {
  return { documents: [], diagnostics: [createDiagnostic(code, locateValue(document, ['items'], 'key'), message)] };
}

/** An item of a `List` as a document. */
class ListItem implements SourceDocument {
  readonly file: string;
  readonly index: number;
  readonly value: unknown;
  readonly source: SourceText;
  readonly #list: SourceDocument;
  readonly #path: Path;

  constructor(list: SourceDocument, path: Path, value: unknown) {
    this.file = list.file;
    this.index = list.index;
    this.value = value;
    this.source = list.source;
    this.#list = list;
    this.#path = path;
  }

  get program(): ProgramLocations | undefined {
    const { program } = this.#list;
    return (
      program && {
        constructPath: program.constructPath,
        locate: (path, at) => program.locate([...this.#path, ...path], at),
        calls: path => program.calls([...this.#path, ...path]),
      }
    );
  }

  /** The caveats of the list that are about this item. Their pointers start at the item. */
  get caveats(): readonly Diagnostic[] {
    if (this.#list.caveats.length === 0) return [];
    const prefix = formatPointer(this.#path);
    const { start, end } = this.#list.locate(this.#path, 'value');
    return this.#list.caveats.flatMap(caveat => {
      const { pointer, range } = caveat;
      // A caveat about the text, such as a tag, has no pointer.
      if (pointer === '') return start.offset <= range.start.offset && range.end.offset <= end.offset ? [caveat] : [];
      const isInside = pointer === prefix || pointer.startsWith(`${prefix}/`);
      return isInside ? [{ ...caveat, pointer: pointer.slice(prefix.length) }] : [];
    });
  }

  locate(path: Path, at: 'key' | 'value'): Range {
    return this.#list.locate([...this.#path, ...path], at);
  }
}
