import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/**
 * Findings about a word of the specification: a field, one of a few values, a kind, an API version. Other suggestions are about names that
 * people chose, such as tools or objects, where only a person can decide which one is meant.
 */
const ABOUT_THE_SPECIFICATION: ReadonlySet<DiagnosticCode> = new Set(['LNT1003', 'LNT1007', 'LNT1011']);

/** Parts of field and kind names that decide who may call what, or which credential is sent where. */
const ACCESS =
  /auth|oidc|claim|role|scope|polic|filter|exclude|visibility|public|private|insecure|allow|deny|trust|secret|token|header/i;

/** The end of a sentence about a manual fix. */
export const BY_HAND = 'which one is meant is for you to say';

/** Why a fix needs a person, as the end of a sentence. Undefined for a safe fix. */
export function explainLeft(found: Diagnostic, word: string): string | undefined {
  if (!ABOUT_THE_SPECIFICATION.has(found.code)) return BY_HAND;
  const { pointer, object } = found;
  if (ACCESS.test(`${object?.kind ?? ''}${pointer}/${word}`)) return 'it may decide who may call what';
  return undefined;
}
