import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourceText } from '../source/source-text.ts';
import { UsageError } from '../usage-error.ts';

/** A configuration file is invalid. Nothing was checked; each mistake is a finding with its position. */
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
