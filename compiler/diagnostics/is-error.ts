import type { Diagnostic } from './diagnostic.ts';

export function isError(found: Diagnostic): boolean {
  return found.severity === 'error';
}

/** Codes for specs that are valid but cannot be served: by this version, or from these sources. */
const UNSERVABLE: ReadonlySet<string> = new Set(['LNT1009', 'LNT2010']);

/** Whether the spec itself is invalid. An unsupported feature is an error too, but its spec is valid. */
export function isMistake(found: Diagnostic): boolean {
  return isError(found) && !UNSERVABLE.has(found.code);
}

/** The finding when specs are checked as documents of the language, regardless of what this version can serve. */
export function asLanguage(found: Diagnostic): Diagnostic {
  return UNSERVABLE.has(found.code) ? { ...found, severity: 'hint' } : found;
}
