import { createDiagnostic, type Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SuppressedFinding } from '../diagnostics/report.ts';
import type { ResourceDocument } from '../source/classify.ts';
import type { DocumentCache } from '../source/document-cache.ts';
import type { SourceText } from '../source/source-text.ts';
import { listAnnotationDirectives } from './annotations.ts';
import { listCommentDirectives } from './comments.ts';
import { formatScopeKey, getSourceIdentity, listLineScopes, listObjectScopes } from './scope.ts';
import { readDirective, type Suppression } from './suppression.ts';

export interface SuppressionSources {
  /** The suppressions of an unchanged text or document are not read again. */
  readonly memory: DocumentCache;
  readonly texts: ReadonlyMap<string, SourceText>;
  /** Every object of Lintel's kinds and every reference target, valid or not. */
  readonly documents: readonly ResourceDocument[];
  /** Such as `2026-03-31`; without a date no suppression expires. */
  readonly today: string | undefined;
}

export interface SuppressionResult {
  /** Findings without a suppression. */
  readonly remaining: readonly Diagnostic[];
  readonly suppressed: readonly SuppressedFinding[];
  /** Suppressions without a finding. */
  readonly unused: readonly Suppression[];
  /** Findings about suppressions. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Removes findings that comments and annotations suppress.
 * @param final findings that cannot be suppressed; a suppression of one of them does not count as unused
 */
export function suppress(
  found: readonly Diagnostic[],
  sources: SuppressionSources,
  final: ReadonlySet<Diagnostic>,
): SuppressionResult {
  const { suppressions, diagnostics } = readSuppressions(sources);
  const covering = indexCoverage(suppressions, sources.documents);
  const used = new Set<Suppression>();
  const suppressed: SuppressedFinding[] = [];
  const remaining: Diagnostic[] = [];
  for (const finding of found) {
    const over = covering(finding);
    for (const suppression of over) used.add(suppression);
    const [first] = over;
    if (first === undefined || final.has(finding)) remaining.push(finding);
    else suppressed.push({ finding, by: first.by, reason: first.reason });
  }
  return {
    remaining,
    suppressed,
    unused: suppressions.filter(suppression => !used.has(suppression)),
    diagnostics,
  };
}

/** The finding about an unused suppression. */
export function reportUnused({ code, location }: Suppression): Diagnostic {
  return createDiagnostic('LNT1033', location, `there is no finding of ${code} here`);
}

function readSuppressions({ memory, texts, documents, today }: SuppressionSources) {
  const directives = [
    ...[...texts.values()].flatMap(text =>
      memory.getOrCompute('comment directives', text, () => listCommentDirectives(text)),
    ),
    ...documents.flatMap(document =>
      memory.getOrCompute('annotation directives', document, () => listAnnotationDirectives(document)),
    ),
  ];
  const read = directives.map(directive => readDirective(directive, today));
  return {
    suppressions: read.flatMap(({ suppressions }) => suppressions),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** The suppressions that cover a finding. Lines are only computed if a comment in the file suppresses the code. */
function indexCoverage(suppressions: readonly Suppression[], documents: readonly ResourceDocument[]) {
  if (suppressions.length === 0) return () => [];
  const byScope = Map.groupBy(suppressions, ({ code, scope }) => `${code} ${formatScopeKey(scope)}`);
  const byComment = suppressions.filter(({ by }) => by === 'comment');
  const commented = new Set(byComment.map(({ code, location }) => `${code} ${location.file}`));
  // The calls that created a value may be in any file of a program.
  const commentedCodes = new Set(byComment.map(({ code }) => code));
  const isCommented = ({ code, file, constructPath }: Diagnostic) =>
    constructPath === undefined ? commented.has(`${code} ${file}`) : commentedCodes.has(code);
  const byObject = Map.groupBy(documents, ({ doc, object }) =>
    formatScopeKey({ type: 'object', home: getSourceIdentity(doc), object }),
  );
  return (found: Diagnostic): readonly Suppression[] => {
    const objects = listObjectScopes(found);
    // There are several documents if an object is defined twice.
    const about = objects.flatMap(scope => byObject.get(formatScopeKey(scope)) ?? []).map(({ doc }) => doc);
    const lines = isCommented(found) ? listLineScopes(found, about) : [];
    return [...lines, ...objects].flatMap(scope => byScope.get(`${found.code} ${formatScopeKey(scope)}`) ?? []);
  };
}
