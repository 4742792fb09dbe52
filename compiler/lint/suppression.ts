import { CODES, type DiagnosticCode, FIXED_REASONS } from '../diagnostics/codes.ts';
import {
  createDiagnostic,
  type Diagnostic,
  type DiagnosticDetails,
  type SourceLocation,
} from '../diagnostics/diagnostic.ts';
import { findCode, suggestCodeName } from '../diagnostics/find-code.ts';
import { quote } from '../text/describe.ts';
import { parseReason } from './reason.ts';
import type { SuppressionScope } from './scope.ts';

/** A statement that findings of a code in a scope do not count. */
export interface Suppression {
  readonly by: 'comment' | 'annotation';
  readonly code: DiagnosticCode;
  readonly reason: string;
  /** The position of the statement. */
  readonly location: SourceLocation;
  readonly scope: SuppressionScope;
}

/** A suppression as written. */
export interface Directive extends Pick<Suppression, 'by' | 'location' | 'scope'> {
  /** The misspelt suppression word, with its correct spelling. */
  readonly misspelt?: { readonly written: string; readonly right: string };
  /** Numbers or names of codes. */
  readonly codes: readonly string[];
  readonly reason: string;
}

export interface ReadSuppressions {
  readonly suppressions: readonly Suppression[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The suppressions of a directive, one per code. A directive with a mistake becomes a finding and suppresses nothing.
 * @param today such as `2026-03-31`; without a date nothing expires
 */
export function readDirective(directive: Directive, today: string | undefined): ReadSuppressions {
  const { codes, location, misspelt } = directive;
  const found = (code: DiagnosticCode, message: string, details?: DiagnosticDetails): ReadSuppressions => ({
    suppressions: [],
    diagnostics: [createDiagnostic(code, location, message, details)],
  });
  if (misspelt !== undefined) {
    const fix = `did you mean "${misspelt.right}"?`;
    return found('LNT1031', `${quote(misspelt.written)} suppresses nothing`, { fix });
  }
  if (codes.length === 0) return found('LNT1031', 'the suppression names no code');
  const reason = parseReason(directive.reason);
  if ('problem' in reason) return found('LNT1031', `the suppression ${reason.problem}`);
  const { text, expires } = reason;
  if (expires !== undefined && today !== undefined && expires < today)
    return found('LNT1032', `the suppression of ${codes.join(', ')} expired after ${expires}`);
  const read = codes.map(codeText => {
    const code = findCode(codeText);
    if (code === undefined) {
      const near = suggestCodeName(codeText);
      const fix = near === undefined ? {} : { fix: `did you mean "${near}"?` };
      return found('LNT1030', `there is no code ${JSON.stringify(codeText)}`, fix);
    }
    const { fixed } = CODES[code];
    if (fixed !== undefined) return found('LNT1034', `${code} cannot be suppressed: ${FIXED_REASONS[fixed]}`);
    const { by, scope } = directive;
    return { suppressions: [{ by, code, reason: text, location, scope }], diagnostics: [] };
  });
  return {
    suppressions: read.flatMap(({ suppressions }) => suppressions),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}
