import type { ExportedObject } from './exported-object.ts';
import type { CallCode } from './typescript/code.ts';

/** One statement of the program. */
export interface Line {
  readonly code: CallCode;
  /** The name of the const for the value of the statement. It is declared only if another statement uses it. */
  readonly constant?: string;
  readonly comments?: readonly string[];
}

/** The code that creates one object. */
export interface Statement {
  readonly object: ExportedObject;
  readonly comments: readonly string[];
  /** Statements that create the values which `code` uses. */
  readonly before: readonly Line[];
  /** Creates the construct. */
  readonly code: CallCode;
  /** Statements that follow the construct, such as grants. */
  readonly further: readonly Line[];
}
