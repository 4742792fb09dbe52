/**
 * Suppresses findings about missing objects that may be in a document that could not be read: a finding for each reference to them would hide
 * the finding about the document, which caused all of them.
 */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { readMissingTarget } from '../resolve/references.ts';
import type { Classification } from '../source/classify.ts';
import { KINDS } from '../source/kinds.ts';
import type { Sources } from '../source/read-sources.ts';

/**
 * A predicate for findings about missing objects that may be in the sources all the same: some document could not be read and says nothing about
 * its identity, or an object of this name has a kind that does not exist. Only reports leave these findings out. They still keep bundles from
 * being built, and the mistake itself is an error.
 */
export function createHiddenTargets(sources: Sources, classified: Classification): (found: Diagnostic) => boolean {
  const { diagnostics, rejected } = classified;
  const named = new Set(
    rejected.flatMap(({ kind, namespace, name }) => (KINDS.has(kind) ? [] : [formatName(namespace, name)])),
  );
  const isAnythingHidden = hasUnknownDocument(sources, rejected) || diagnostics.some(isAboutNoObject);
  if (!isAnythingHidden && named.size === 0) return () => false;
  return found => {
    const target = readMissingTarget(found);
    return target !== undefined && (isAnythingHidden || named.has(formatName(target.namespace, target.name)));
  };
}

/** Characters of a name. They exclude white space, so that an unclosed quotation mark does not turn the rest of the text into a name. */
const NAME = /^[\w.-]+$/;

/**
 * Whether a document's identity is unknown. For a file with a syntax error, some identity is known if the text shows the kind and the name
 * of its object.
 */
function hasUnknownDocument({ diagnostics, leftOut = [] }: Sources, rejected: Classification['rejected']): boolean {
  const known = new Set(rejected.filter(({ name }) => NAME.test(name)).map(({ doc }) => doc.file));
  for (const { file, value } of leftOut) if (isForeign(value)) known.add(file);
  return diagnostics.some(({ severity, file }) => severity === 'error' && !known.has(file));
}

function isForeign(value: unknown): boolean {
  const kind = (value as { readonly kind?: unknown } | null)?.kind;
  return typeof kind === 'string' && !KINDS.has(kind);
}

function isAboutNoObject({ severity, object }: Diagnostic): boolean {
  return severity === 'error' && object === undefined;
}

function formatName(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
