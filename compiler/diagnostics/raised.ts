import type { Diagnostic } from './diagnostic.ts';

/** A bundle cannot leave out what its spec asks for, so there is none. */
export function raised(found: Diagnostic): Diagnostic {
  return found.code === 'LNT1009' ? { ...found, severity: 'error' } : found;
}

export function isError(found: Diagnostic): boolean {
  return found.severity === 'error';
}
