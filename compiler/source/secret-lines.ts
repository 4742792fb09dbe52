import type { SourceText } from './source-text.ts';

const SECRET_KIND = /(?:^|[\s{,])["']?kind["']?\s*:\s*["']?Secret\b/;

/** A plain-text password, in any kind of file. */
const PASSWORD = /(?:^|[\s{,])["']?(?:\w*[pP]assword|clientSecret)["']?\s*:\s*["']?[^\s"'{}[\]|>,]/;

/** A quick pre-check: every text that matches one of the two patterns above also matches this one. */
const MAY_BE_SECRET = /Secret|assword/;

const known = new WeakMap<SourceText, ReadonlySet<number>>();

/**
 * The 1-based lines of documents with kind `Secret`, and lines with a plain-text password. Works on the text alone, so that it covers documents
 * that cannot be parsed; a `List` with a Secret counts as a whole.
 */
export function collectSecretLines(source: SourceText): ReadonlySet<number> {
  const cached = known.get(source);
  if (cached) return cached;
  const lines = new Set<number>();
  const mayHaveSecret = MAY_BE_SECRET.test(source.text);
  if (mayHaveSecret && SECRET_KIND.test(source.text)) {
    let first = 1;
    for (const part of source.text.split(/^(?=---)/m)) {
      const count = part.split('\n').length - (part.endsWith('\n') ? 1 : 0);
      if (SECRET_KIND.test(part)) for (let line = first; line < first + count; line += 1) lines.add(line);
      first += count;
    }
  }
  if (mayHaveSecret && PASSWORD.test(source.text)) {
    for (const [index, text] of source.text.split('\n').entries()) if (PASSWORD.test(text)) lines.add(index + 1);
  }
  known.set(source, lines);
  return lines;
}
