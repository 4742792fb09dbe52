/** Lines that no code frame shows: frames end up in the logs of CI systems. */
import { sensitiveValues } from '../check/sensitive-values.ts';
import { memberOf } from './is-mapping.ts';
import { secretLines } from './secret-lines.ts';
import type { Path, SourceDocument } from './source-document.ts';
import type { SourceText } from './source-text.ts';

/** A URL with a password in it. */
const CREDENTIALS = /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/;

/** Shorter texts are in too many lines by chance. UTF-16 code units. */
const LEAST_TELLING_LENGTH = 4;

/** Secrets in the clear of one file: where they stand, and what they are, since an alias stands elsewhere than its text. */
interface Literals {
  readonly lines: Set<number>;
  readonly texts: Set<string>;
}

const known = new WeakMap<readonly SourceDocument[], ReadonlyMap<SourceText, Literals>>();

/**
 * Is the line, 1-based, part of a Secret, or does it hold a secret in the clear or a password in a URL?
 *
 * @param documents all that were read
 */
export function isWithheld(documents: readonly SourceDocument[], source: SourceText, line: number): boolean {
  const text = source.line(line)?.text ?? '';
  if (secretLines(source).has(line) || CREDENTIALS.test(text)) return true;
  const literals = literalsOf(documents).get(source);
  return (
    literals !== undefined && (literals.lines.has(line) || [...literals.texts].some(secret => text.includes(secret)))
  );
}

function literalsOf(documents: readonly SourceDocument[]): ReadonlyMap<SourceText, Literals> {
  const cached = known.get(documents);
  if (cached) return cached;
  const found = new Map<SourceText, Literals>();
  for (const document of documents) {
    const kind = memberOf(document.value, 'kind');
    if (typeof kind !== 'string') continue;
    for (const path of sensitiveValues(kind, memberOf(document.value, 'spec'))) {
      const literals = found.get(document.source) ?? { lines: new Set(), texts: new Set() };
      found.set(document.source, literals);
      const { start, end } = document.locate(path, 'value');
      for (let line = start.line; line <= end.line; line += 1) literals.lines.add(line);
      const text = textAt(document.value, path);
      if (text.length >= LEAST_TELLING_LENGTH) literals.texts.add(text);
    }
  }
  known.set(documents, found);
  return found;
}

function textAt(value: unknown, path: Path): string {
  return String(path.reduce((holder, step) => (holder as Record<string | number, unknown>)[step], value));
}
