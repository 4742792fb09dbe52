import type { DiagnosticCode } from '../diagnostics/codes.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/**
 * Findings about a word of the specification: a field, one of a few values, a kind, an API version. What else has a nearest word names
 * something that a person made, such as a tool or another object; which one is meant is not for a program to say.
 */
const ABOUT_THE_SPECIFICATION: ReadonlySet<DiagnosticCode> = new Set(['LNT1003', 'LNT1007', 'LNT1011']);

/** Parts of names of fields and kinds that decide who may call what, or which credential goes where. */
const ACCESS =
  /auth|oidc|claim|role|scope|polic|filter|exclude|visibility|public|private|insecure|allow|deny|trust|secret|token|header/i;

/** The end of a sentence. */
export const BY_HAND = 'which one is meant is for you to say';

/** The end of a sentence: why a fix is left to a person. Undefined for one that is safe. */
export function whyLeft(found: Diagnostic, word: string): string | undefined {
  if (!ABOUT_THE_SPECIFICATION.has(found.code)) return BY_HAND;
  const { pointer, object } = found;
  if (ACCESS.test(`${object?.kind ?? ''}${pointer}/${word}`)) return 'it may decide who may call what';
  return undefined;
}
