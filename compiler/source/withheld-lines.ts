/** Lines that no code frame shows: frames end up in the logs of CI systems. */
import { sensitiveValues } from '../check/sensitive-values.ts';
import { memberOf } from './is-mapping.ts';
import { secretLines } from './secret-lines.ts';
import type { SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** A URL with a password in it. */
const CREDENTIALS = /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/;

const known = new WeakMap<readonly SourceDocument[], ReadonlyMap<SourceText, ReadonlySet<number>>>();

/**
 * Is the line, 1-based, part of a Secret, or does it hold a secret in the clear or a password in a URL?
 *
 * @param documents all that were read
 */
export function isWithheld(documents: readonly SourceDocument[], source: SourceText, line: number): boolean {
  if (secretLines(source).has(line) || literalLines(documents).get(source)?.has(line)) return true;
  return CREDENTIALS.test(source.line(line)?.text ?? '');
}

function literalLines(documents: readonly SourceDocument[]): ReadonlyMap<SourceText, ReadonlySet<number>> {
  const cached = known.get(documents);
  if (cached) return cached;
  const found = new Map<SourceText, Set<number>>();
  for (const document of documents) {
    const kind = memberOf(document.value, 'kind');
    if (typeof kind !== 'string') continue;
    for (const path of sensitiveValues(kind, memberOf(document.value, 'spec'))) {
      const { start, end } = document.locate(path, 'value');
      const lines = found.get(document.source) ?? new Set();
      found.set(document.source, lines);
      for (let line = start.line; line <= end.line; line += 1) lines.add(line);
    }
  }
  known.set(documents, found);
  return found;
}
