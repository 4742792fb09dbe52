import { AREAS, type CodeEntry } from './code-entry.ts';
import { type DiagnosticCode, REGISTER } from './generated/codes.ts';

export { AREAS, type CodeEntry, type Example, FIXED_REASONS } from './code-entry.ts';
export type { DiagnosticCode } from './generated/codes.ts';

/**
 * The only register of codes, sorted by number and frozen. A new code is a page in `codes/`. Codes are never reused, and the page of a retired
 * code stays.
 */
export const CODES: Readonly<Record<DiagnosticCode, CodeEntry>> = Object.freeze(REGISTER);

/** The area of a code, such as `input`. */
export function getArea(code: DiagnosticCode): string {
  return AREAS[code.charAt(3) as unknown as keyof typeof AREAS];
}
