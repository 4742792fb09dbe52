import type { TemplateTree } from '#schemas';
import { tokenizeTemplate } from './lexer.ts';
import { parseTop } from './parse-nodes.ts';
import { SyntaxProblem, type TemplateSyntaxError } from './syntax-error.ts';
import { TokenReader } from './token-reader.ts';

/** Maximum length of a template, in UTF-16 code units. Longer ones are refused. */
const MAX_TEMPLATE_LENGTH = 100_000;

export type ParsedTemplate = { readonly tree: TemplateTree } | { readonly errors: readonly TemplateSyntaxError[] };

/**
 * Parses a workflow template as Go's `text/template` would.
 *
 * @returns the tree or the first error. Like Go, the parser stops at the first error, because everything after it would be a guess.
 * @see https://pkg.go.dev/text/template
 */
export function parseTemplate(text: string): ParsedTemplate {
  try {
    if (text.length > MAX_TEMPLATE_LENGTH) {
      const message = `the template is longer than ${MAX_TEMPLATE_LENGTH} characters`;
      throw new SyntaxProblem([0, text.length], message, 'make it shorter');
    }
    return { tree: { nodes: parseTop(new TokenReader(tokenizeTemplate(text.toWellFormed()))) } };
  } catch (error) {
    if (error instanceof SyntaxProblem) return { errors: [error.found] };
    throw error;
  }
}
