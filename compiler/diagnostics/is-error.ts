import type { Diagnostic } from './diagnostic.ts';

export function isError(found: Diagnostic): boolean {
  return found.severity === 'error';
}

/** What is written can mean nothing. What the runtime cannot do yet has a meaning, and is an error as well. */
export function isMistake(found: Diagnostic): boolean {
  return isError(found) && found.code !== 'LNT1009';
}

/** The finding where the spec alone is judged, as text of its language: not what this version can serve of it. */
export function asLanguage(found: Diagnostic): Diagnostic {
  return found.code === 'LNT1009' ? { ...found, severity: 'hint' } : found;
}
