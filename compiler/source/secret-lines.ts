import type { SourceText } from './source-text.ts';

const SECRET_KIND = /(?:^|[\s{,])["']?kind["']?\s*:\s*["']?Secret\b/;

const known = new WeakMap<SourceText, ReadonlySet<number>>();

/**
 * The lines, 1-based, of documents that say that they are a `Secret`. Judged by the text alone, so that it also holds
 * for documents that cannot be parsed; a `List` with a Secret in it counts as a whole.
 */
export function secretLines(source: SourceText): ReadonlySet<number> {
  const cached = known.get(source);
  if (cached) return cached;
  const lines = new Set<number>();
  if (SECRET_KIND.test(source.text)) {
    let first = 1;
    for (const part of source.text.split(/^(?=---)/m)) {
      const count = part.split('\n').length - (part.endsWith('\n') ? 1 : 0);
      if (SECRET_KIND.test(part)) for (let line = first; line < first + count; line += 1) lines.add(line);
      first += count;
    }
  }
  known.set(source, lines);
  return lines;
}
