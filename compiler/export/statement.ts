import type { ExportedObject } from './exported-object.ts';
import type { CallCode } from './typescript/code.ts';

/** What stands for one object in the program. */
export interface Statement {
  readonly object: ExportedObject;
  readonly comments: readonly string[];
  /** Makes the construct. */
  readonly code: CallCode;
  /** What is said of the construct afterwards, such as grants. */
  readonly further: readonly CallCode[];
}
