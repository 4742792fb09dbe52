import { createHash } from 'node:crypto';
import type { Diagnostic } from './diagnostic.ts';

/**
 * One SHA-256 for each finding, in hexadecimal and in the given order. CI systems use it to recognize a finding in later runs. It covers the
 * code, the file, the object, the pointer and the message, but not the line, so that a finding that only moves keeps its fingerprint. Findings
 * that agree in all of these are numbered, since a CI system keeps one finding per fingerprint.
 */
export function computeFingerprints(diagnostics: readonly Diagnostic[]): readonly string[] {
  const times = new Map<string, number>();
  return diagnostics.map(({ code, file, pointer, object, message }) => {
    const named = object && [object.apiVersion, object.kind, object.namespace, object.name];
    const identity = JSON.stringify([code, file, pointer, named ?? null, message]);
    const before = times.get(identity) ?? 0;
    times.set(identity, before + 1);
    const text = before === 0 ? identity : `${identity}#${before + 1}`;
    return createHash('sha256').update(text).digest('hex');
  });
}
