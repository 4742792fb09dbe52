import type { TemplateSpan } from '#schemas';

/**
 * What went wrong, by what to correct: a `FIELD` read from something without fields, the `ARGUMENTS` of a function, a
 * value of the wrong `TYPE`, an `INDEX` out of bounds, text that is not `JSON`, or a `LIMIT`.
 */
export type TemplateErrorCode =
  | 'ERR_TEMPLATE_FIELD'
  | 'ERR_TEMPLATE_ARGUMENTS'
  | 'ERR_TEMPLATE_TYPE'
  | 'ERR_TEMPLATE_INDEX'
  | 'ERR_TEMPLATE_JSON'
  | 'ERR_TEMPLATE_VARIABLE'
  | 'ERR_TEMPLATE_LIMIT';

/** A template that cannot be evaluated with this data. The message names types and never values. */
export class TemplateError extends Error {
  readonly code: TemplateErrorCode;
  /** Where in the text of the template, in UTF-16 code units. */
  readonly offset: number;
  readonly length: number;

  constructor(code: TemplateErrorCode, [offset, length]: TemplateSpan, message: string) {
    super(message);
    this.name = 'TemplateError';
    this.code = code;
    this.offset = offset;
    this.length = length;
  }
}

/** The same before anyone knows the place. Never leaves `evaluate.ts`. */
export class Problem extends Error {
  readonly code: TemplateErrorCode;

  constructor(code: TemplateErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
