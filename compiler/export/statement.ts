import type { ExportedObject } from './exported-object.ts';
import type { CallCode } from './typescript/code.ts';

/** One statement of the program. */
export interface Line {
  readonly code: CallCode;
  /** What holds its value, written where something uses it. */
  readonly constant?: string;
  readonly comments?: readonly string[];
}

/** What stands for one object in the program. */
export interface Statement {
  readonly object: ExportedObject;
  readonly comments: readonly string[];
  /** Values that it is made of. */
  readonly before: readonly Line[];
  /** Makes the construct. */
  readonly code: CallCode;
  /** Statements about the construct that follow it, such as grants. */
  readonly further: readonly Line[];
}
