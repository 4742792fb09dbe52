import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceText } from '../source/source-text.ts';
import { UsageError } from '../usage-error.ts';

/** A file that says how to check, not what, holds mistakes. Nothing was checked; each mistake is a finding with its place. */
export class ConfigurationError extends UsageError {
  readonly diagnostics: readonly Diagnostic[];
  readonly texts: readonly SourceText[];

  constructor(file: string, diagnostics: readonly Diagnostic[], texts: readonly SourceText[]) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
    super(`nothing was checked: ${file} has ${errors === 1 ? '1 error' : `${errors} errors`}`);
    this.diagnostics = diagnostics;
    this.texts = texts;
  }
}
