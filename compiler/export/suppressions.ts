import { LABEL_DOMAIN } from '#schemas';
import { listCommentDirectives } from '../lint/index.ts';
import type { SourceDocument } from '../source/source-document.ts';

/** Suppression comments of an object as annotations, which survive synthesis, unlike comments. They apply to the whole object. */
export function buildSuppressions(document: SourceDocument): Readonly<Record<string, string>> {
  const { start, end } = document.locate([], 'value');
  const reasons = new Map<string, Set<string>>();
  for (const { codes, reason, scope } of listCommentDirectives(document.source)) {
    if (!('line' in scope) || scope.line < start.line || scope.line > end.line) continue;
    for (const code of codes) reasons.set(code, (reasons.get(code) ?? new Set()).add(reason.trim()));
  }
  return Object.fromEntries(
    [...reasons].map(([code, all]) => [`${LABEL_DOMAIN}/ignore.${code}`, [...all].sort(compareDatedLast).join('; ')]),
  );
}

/** A reason that ends with the owner and the expiry date in parentheses comes last, because only the end of the annotation is parsed for them. */
function compareDatedLast(a: string, b: string): number {
  return Number(a.endsWith(')')) - Number(b.endsWith(')'));
}
