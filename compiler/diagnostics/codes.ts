import { AREAS, type CodeEntry } from './code-entry.ts';
import { type DiagnosticCode, REGISTER } from './generated/codes.ts';

export { AREAS, type CodeEntry, FIXED_REASONS } from './code-entry.ts';
export type { DiagnosticCode } from './generated/codes.ts';

/**
 * The only register of codes, sorted by number and frozen. A code is born as a page in `codes/`, is never reused, and its page stays when it
 * retires.
 */
export const CODES: Readonly<Record<DiagnosticCode, CodeEntry>> = Object.freeze(REGISTER);

/** The area of a code, such as `input`. */
export function getArea(code: DiagnosticCode): string {
  return AREAS[code.charAt(3) as unknown as keyof typeof AREAS];
}
