import { listCertainEntries } from '../check/doubt.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Resource } from '../resolve/inventory.ts';
import { findKnownCredential } from '../source/known-credentials.ts';
import { listRevealingTexts, type SensitiveValue } from '../source/sensitive-values.ts';
import { diagnoseSecret, formatHolder, suggestReference } from './support/secret-words.ts';

/**
 * Reports tokens in the formats of well-known services. `literal-secrets.ts` covers fields that are secret by schema.
 *
 * @holds outgoingAuth and config.outgoingAuth | any text of a spec, Secrets and ConfigMaps next to it, the configuration of a registry server
 *   | no credential in the form of a known service | LNT6024
 */
export function knownCredentials(resource: Resource): Diagnostic[] {
  return listRevealingTexts(resource.kind, resource.spec, listCertainEntries).flatMap(value => {
    if (value.role === 'field') return [];
    const credential = findKnownCredential(value.text);
    return credential === undefined ? [] : [diagnoseCredential(resource, value, credential)];
  });
}

/** @param credential the name from `findKnownCredential` */
export function diagnoseCredential(resource: Resource, value: SensitiveValue, credential: string): Diagnostic {
  const message = `${formatHolder(resource, value)} holds ${credential} in the clear`;
  const instead = suggestReference(resource, value, 'the new credential') ?? 'take it out of the spec';
  return diagnoseSecret(resource, 'LNT6024', value, message, {
    fix: `revoke it, because the history of a repository keeps it, and ${instead}`,
  });
}
