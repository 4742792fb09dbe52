import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Suppressed } from '../diagnostics/report.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { SourceDocument } from '../source/source-document.ts';
import type { SourceText } from '../source/source-text.ts';
import { annotationDirectives } from './annotations.ts';
import { commentDirectives } from './comments.ts';
import { readDirective, type Suppression } from './suppression.ts';

export interface SuppressionSources {
  readonly texts: ReadonlyMap<string, SourceText>;
  /** Every document that is an object of ours or a target of references, broken or not. */
  readonly documents: readonly ResourceDocument[];
  /** Such as `2026-03-31`; without it no suppression expires. */
  readonly today: string | undefined;
}

export interface Suppressing {
  /** What no suppression is about. */
  readonly left: readonly Diagnostic[];
  readonly suppressed: readonly Suppressed[];
  /** Suppressions that no finding is under. */
  readonly unused: readonly Suppression[];
  /** What is wrong with suppressions. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Takes the findings out that comments and annotations suppress.
 *
 * @param final findings that stay whatever is said about them; a suppression of one is not unused
 */
export function suppress(
  found: readonly Diagnostic[],
  sources: SuppressionSources,
  final: ReadonlySet<Diagnostic>,
): Suppressing {
  const { suppressions, diagnostics } = readSuppressions(sources);
  const byCode = Map.groupBy(suppressions, ({ code }) => code);
  const used = new Set<Suppression>();
  const suppressed: Suppressed[] = [];
  const left: Diagnostic[] = [];
  for (const finding of found) {
    const covering = byCode.get(finding.code)?.filter(({ covers }) => covers(finding)) ?? [];
    for (const suppression of covering) used.add(suppression);
    const [first] = covering;
    if (first === undefined || final.has(finding)) left.push(finding);
    else suppressed.push({ finding, by: first.by, reason: first.reason });
  }
  return { left, suppressed, unused: suppressions.filter(suppression => !used.has(suppression)), diagnostics };
}

/** The finding about a suppression that nothing is under. */
export function unusedFinding({ code, place }: Suppression): Diagnostic {
  return diagnostic('LNT1033', place, `there is no finding of ${code} here`);
}

function readSuppressions({ texts, documents, today }: SuppressionSources) {
  const documentsOf = documentFinder(documents);
  const directives = [
    ...[...texts.values()].flatMap(text => commentDirectives(text, documentsOf)),
    ...documents.flatMap(annotationDirectives),
  ];
  const read = directives.map(directive => readDirective(directive, today));
  return {
    suppressions: read.flatMap(({ suppressions }) => suppressions),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** The documents that a finding may be about; several where an object is defined twice. */
function documentFinder(documents: readonly ResourceDocument[]): (found: Diagnostic) => readonly SourceDocument[] {
  const keyOf = (file: string, { kind, namespace, name }: ResourceDocument['object']) =>
    JSON.stringify([file, kind, namespace, name]);
  // Most sources have no suppression, so nobody asks.
  let byObject: Map<string, ResourceDocument[]> | undefined;
  return ({ file, object }) => {
    if (object === undefined) return [];
    byObject ??= Map.groupBy(documents, ({ doc, object }) => keyOf(doc.file, object));
    return byObject.get(keyOf(file, object))?.map(({ doc }) => doc) ?? [];
  };
}
