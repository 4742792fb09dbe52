import type { RegistryProvider } from '#schemas';
import { listProviders, type RegistryDocument, type ValueAtPath } from '../../analysis/registry/document.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { createRelatedLocation } from '../../source/locate-finding.ts';

/**
 * The first provider that accepts a token wins, so a second one with the same issuer and audience has no effect.
 *
 * @holds Registry server | `providers[]` | one for each issuer and audience | LNT8005
 */
export function repeatedProvider(registry: RegistryDocument): Diagnostic[] {
  const { document } = registry;
  const first = new Map<string, ValueAtPath<RegistryProvider>>();
  return listProviders(registry).flatMap(provider => {
    const { name, issuerUrl, audience } = provider.value;
    const key = JSON.stringify([issuerUrl, audience]);
    const previous = first.get(key);
    if (previous === undefined) {
      first.set(key, provider);
      return [];
    }
    const message = `provider "${name}" accepts the issuer and the audience of "${previous.value.name}"`;
    const related = [createRelatedLocation('the first provider', document.doc, [...previous.path, 'name'])];
    return [diagnose(document, 'LNT8005', [...provider.path, 'name'], message, { related })];
  });
}
