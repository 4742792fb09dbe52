import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { computeFingerprints } from '../diagnostics/fingerprint.ts';
import type { CompiledPaths } from './compile-paths.ts';

/** The findings of a compilation that the compilation before it did not have. */
export interface NewFindings {
  /** The compilation with only the findings to print. The counts are those of all findings. */
  readonly compiled: CompiledPaths;
  /** The findings that are not printed, in words, such as `3 findings as before, 1 gone`; empty if there are none. */
  readonly others: string;
}

/** Remembers printed findings, so that a person who saves often does not read the same hints again. */
export class PrintedFindings {
  #before: ReadonlySet<string> = new Set();

  /** Errors are printed every time: a person who saves wants to know whether they are fixed. */
  findNew(compiled: CompiledPaths): NewFindings {
    const { findings } = compiled.compilation;
    const { diagnostics } = findings;
    const prints = computeFingerprints(diagnostics);
    const isNew = ({ severity }: Diagnostic, at: number) => severity === 'error' || !this.#before.has(prints[at] ?? '');
    const shown = diagnostics.filter(isNew);
    const now = new Set(prints);
    const gone = [...this.#before].filter(print => !now.has(print)).length;
    this.#before = now;
    const known = diagnostics.length - shown.length;
    const parts = [
      ...(known === 0 ? [] : [`${known === 1 ? '1 finding' : `${known} findings`} as before`]),
      ...(gone === 0 ? [] : [`${gone} gone`]),
    ];
    return {
      compiled: {
        ...compiled,
        compilation: { ...compiled.compilation, findings: { ...findings, diagnostics: shown } },
      },
      others: parts.join(', '),
    };
  }
}
