import { createHash } from 'node:crypto';
import type { Diagnostic } from './diagnostic.ts';

/**
 * One SHA-256 a finding, in hexadecimal and in the order given: what CI systems recognise a finding by from one run to the
 * next. It is made of the code, the file, the object, the pointer and the message, never of a line, so text that moves a
 * finding keeps its fingerprint. Of findings that agree in all of these, the second and later ones are told apart by their
 * number, since a CI system keeps one finding a fingerprint.
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
