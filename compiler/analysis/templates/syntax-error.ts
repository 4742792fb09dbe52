import type { TemplateSpan } from '#schemas';

/** The syntax error of a template. Offset and length are in UTF-16 code units of the template's text. */
export interface TemplateSyntaxError {
  readonly offset: number;
  readonly length: number;
  /** The mistake in one sentence without a full stop. */
  readonly message: string;
  /** How to correct it. */
  readonly fix: string;
}

/** Ends the parsing of one template. Never leaves `parse-template.ts`. */
export class SyntaxProblem extends Error {
  readonly found: TemplateSyntaxError;

  constructor([offset, length]: TemplateSpan, message: string, fix: string) {
    super(message);
    this.found = { offset, length, message, fix };
  }
}

/** An excerpt of the template for a message, truncated when it is long. */
export function quoteExcerpt(text: string): string {
  const characters = [...text.slice(0, 2 * MAX_SHOWN + 2)];
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join('')}…` : text;
}

/** Maximum length of a text in a message, in characters. */
const MAX_SHOWN = 60;
