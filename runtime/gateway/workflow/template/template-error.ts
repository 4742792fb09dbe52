import type { TemplateSpan } from '#schemas';

/**
 * The error by its correction: a `FIELD` read from a value without fields, the `ARGUMENTS` of a function, a value of the wrong `TYPE`, an
 * `INDEX` out of bounds, text that is not `JSON`, or a `LIMIT`.
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
  /** The position in the template's text, in UTF-16 code units. */
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

/** A {@link TemplateError} without a position. Only used in `evaluate.ts`. */
export class EvaluationError extends Error {
  readonly code: TemplateErrorCode;

  constructor(code: TemplateErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
