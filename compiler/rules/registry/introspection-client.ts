import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { providersOf, type RegistryDocument } from '../../registry/document.ts';
import { diagnose } from '../../resolve/diagnose.ts';

/** Introspection is authenticated with an id and a secret, or not at all: half of it would be sent to nobody. */
export function introspectionClient(registry: RegistryDocument): Diagnostic[] {
  return providersOf(registry).flatMap(({ value, path }) => {
    const { clientId, clientSecretFile } = value;
    if ((clientId === undefined) === (clientSecretFile === undefined)) return [];
    const [there, missing] =
      clientId === undefined ? ['clientSecretFile', 'clientId'] : ['clientId', 'clientSecretFile'];
    const message = `${there} is set, and ${missing} is missing`;
    return [diagnose(registry.document, 'LNT1010', [...path, there], message, { at: 'key', fix: `add ${missing}` })];
  });
}
