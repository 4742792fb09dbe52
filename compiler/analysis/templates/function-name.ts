import { TEMPLATE_FUNCTIONS, type TemplateFunction } from '#schemas';
import { findNearest } from '#shared/util';
import { quoteExcerpt, SyntaxProblem } from './syntax-error.ts';
import type { Token } from './token.ts';

/** @throws SyntaxProblem when there is no such function */
export function getFunction({ text, at }: Token): TemplateFunction {
  const known = TEMPLATE_FUNCTIONS.find(name => name === text);
  if (known !== undefined) return known;
  const near = findNearest(text, TEMPLATE_FUNCTIONS);
  throw new SyntaxProblem(
    at,
    `there is no function "${quoteExcerpt(text)}"`,
    near === undefined
      ? 'a field starts with a dot and text stands in quotes; other functions than those of Go, json, quote and fromJson do not exist'
      : `did you mean ${near}?`,
  );
}
