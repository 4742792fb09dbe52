import type { RegistryProvider } from '#schemas';
import {
  listContactedUrls,
  listProviders,
  type RegistryDocument,
  type ValueAtPath,
} from '../../analysis/registry/document.ts';
import { classifyHost } from '../../analysis/registry/host-kind.ts';
import { classifyPublicReach } from '../../analysis/registry/public-reach.ts';
import { diagnose } from '../../check/diagnose.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';

/**
 * `allowPrivateIP` is required for a provider at a private address, and should not be set for others.
 *
 * @holds Registry server | `providers[].allowPrivateIP` | required at a private address, and not set elsewhere; a warning for a name that
 *   usually resolves to one | LNT8013, LNT8006, LNT6010
 */
export function providerAddresses(registry: RegistryDocument): Diagnostic[] {
  return listProviders(registry).flatMap(provider => [
    ...checkUnreachable(registry, provider),
    ...checkUnneeded(registry, provider),
  ]);
}

function checkUnreachable({ document }: RegistryDocument, provider: ValueAtPath<RegistryProvider>): Diagnostic[] {
  return listContactedUrls(provider).flatMap(({ value, path }) => {
    const kind = classifyHost(value);
    const field = String(path.at(-1));
    if (kind === 'never')
      return [diagnose(document, 'LNT6010', path, `${field} points to an address that is never contacted`)];
    const reach = classifyPublicReach(value);
    if (provider.value.allowPrivateIP === true || reach === 'reached') return [];
    const fix = 'set allowPrivateIP to true if the address is correct';
    if (reach === 'refused') {
      const message = `${field} is at a private address, and connections to private addresses are refused`;
      return [diagnose(document, 'LNT8013', path, message, { fix })];
    }
    const message = `${field} has a name that usually leads to a private address, and connections to private addresses are refused`;
    return [diagnose(document, 'LNT8013', path, message, { severity: 'warning', fix })];
  });
}

function checkUnneeded({ document }: RegistryDocument, provider: ValueAtPath<RegistryProvider>): Diagnostic[] {
  if (provider.value.allowPrivateIP !== true) return [];
  const kinds = listContactedUrls(provider).map(({ value }) => classifyHost(value));
  if (!kinds.every(kind => kind === 'public' || kind === 'unknown')) return [];
  const path = [...provider.path, 'allowPrivateIP'];
  if (kinds.every(kind => kind === 'public'))
    return [diagnose(document, 'LNT8006', path, 'allowPrivateIP is true, and the provider is a public one')];
  const message = 'allowPrivateIP is true, and nothing says that the provider is at a private address';
  return [diagnose(document, 'LNT8006', path, message, { severity: 'hint' })];
}
