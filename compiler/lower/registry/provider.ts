import type { AddressPolicy, RegistryProvider, RegistryProviderPlan } from '#schemas';
import { hostKind } from '../../registry/host-kind.ts';
import type { Tracked } from '../tracked.ts';

/** One identity provider: where its keys are, how its opaque tokens are looked up, and what connections may reach. */
export function lowerProvider(provider: Tracked<RegistryProvider>): RegistryProviderPlan {
  const issuer = provider.get('issuerUrl');
  const jwksUrl = provider.get('jwksUrl');
  const introspectionUrl = provider.get('introspectionUrl');
  const tokenFile = provider.get('authTokenFile') ?? null;
  const urls = [jwksUrl ?? issuer, ...(introspectionUrl === undefined ? [] : [introspectionUrl])];
  return {
    name: provider.get('name'),
    issuer,
    audience: provider.get('audience'),
    keys:
      jwksUrl === undefined
        ? // Of an issuer that ends with a slash that one slash goes (OpenID Connect Discovery 1.0, section 4).
          { type: 'discovery', url: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration` }
        : { type: 'jwks', url: jwksUrl },
    keysTokenFile: tokenFile,
    introspection: lowerIntrospection(provider, introspectionUrl, tokenFile),
    caFile: provider.get('caCertPath') ?? null,
    addresses: addressesOf(provider.get('allowPrivateIP') === true, urls),
  };
}

/** A client's own credentials go before the token for keys, which stands in where there are none. */
function lowerIntrospection(
  provider: Tracked<RegistryProvider>,
  url: string | undefined,
  tokenFile: string | null,
): RegistryProviderPlan['introspection'] {
  if (url === undefined) {
    provider.ignore('clientId', 'there is no introspectionUrl');
    provider.ignore('clientSecretFile', 'there is no introspectionUrl');
    return null;
  }
  const clientId = provider.get('clientId');
  const secretFile = provider.get('clientSecretFile');
  if (clientId !== undefined && secretFile !== undefined)
    return { url, credentials: { type: 'basic', clientId, secretFile } };
  return { url, credentials: tokenFile === null ? { type: 'none' } : { type: 'bearer', tokenFile } };
}

/** The machine and the API of the cluster are reached only by a provider whose URL names them. */
function addressesOf(allowPrivate: boolean, urls: readonly string[]): AddressPolicy {
  if (!allowPrivate) return 'public';
  return urls.some(url => hostKind(url) === 'platform') ? 'any' : 'private';
}
