import type { ExportedObject } from './exported-object.ts';
import type { CallCode } from './typescript/code.ts';

/** One statement of the program. */
export interface Line {
  readonly code: CallCode;
  /** The const for its value, declared only if another statement uses it. */
  readonly constant?: string;
  readonly comments?: readonly string[];
}

/** The code for one object. */
export interface Statement {
  readonly object: ExportedObject;
  readonly comments: readonly string[];
  /** Statements for its values. */
  readonly before: readonly Line[];
  /** Creates the construct. */
  readonly code: CallCode;
  /** Statements that follow the construct, such as grants. */
  readonly further: readonly Line[];
}
