import type { Diagnostic } from './diagnostic.ts';

export function isError(found: Diagnostic): boolean {
  return found.severity === 'error';
}

/** What has a meaning, and cannot be served: by this version, or from these sources. */
const UNSERVABLE: ReadonlySet<string> = new Set(['LNT1009', 'LNT2010']);

/** What is written can mean nothing. What the runtime cannot do yet has a meaning, and is an error as well. */
export function isMistake(found: Diagnostic): boolean {
  return isError(found) && !UNSERVABLE.has(found.code);
}

/** The finding where the spec alone is judged, as text of its language: not what this version can serve of it. */
export function asLanguage(found: Diagnostic): Diagnostic {
  return UNSERVABLE.has(found.code) ? { ...found, severity: 'hint' } : found;
}
