import type { RegistryProvider, TokenProviderPlan } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { lowerProviderAddresses, lowerProviderKeys } from '../token-provider.ts';

/** One identity provider: its keys, its introspection, and which addresses connections may reach. */
export function lowerProvider(provider: Tracked<RegistryProvider>): TokenProviderPlan {
  const issuer = provider.get('issuerUrl');
  const jwksUrl = provider.get('jwksUrl');
  const introspectionUrl = provider.get('introspectionUrl');
  const tokenFile = provider.get('authTokenFile') ?? null;
  const caFile = provider.get('caCertPath');
  const urls = [jwksUrl ?? issuer, ...(introspectionUrl === undefined ? [] : [introspectionUrl])];
  return {
    name: provider.get('name'),
    issuer,
    audience: provider.get('audience'),
    keys: lowerProviderKeys(issuer, jwksUrl),
    keysToken: tokenFile === null ? null : { env: null, file: tokenFile },
    introspection: lowerIntrospection(provider, introspectionUrl, tokenFile),
    trust: caFile === undefined ? { type: 'default' } : { type: 'file', path: caFile, replaces: true },
    // A rule limits plain http to this machine. One https URL requires https for all.
    allowsHttp: urls.every(url => URL.parse(url)?.protocol === 'http:'),
    addresses: lowerProviderAddresses(provider.get('allowPrivateIP') === true, urls),
  };
}

/**
 * A client sends its id, and its secret if it has one (RFC 6749, sections 2.3 and 3.2.1). Without a client, the token for fetching keys is used:
 * two methods at once are not permitted.
 */
function lowerIntrospection(
  provider: Tracked<RegistryProvider>,
  url: string | undefined,
  tokenFile: string | null,
): TokenProviderPlan['introspection'] {
  if (url === undefined) {
    provider.ignore('clientId', 'there is no introspectionUrl');
    provider.ignore('clientSecretFile', 'there is no introspectionUrl');
    return null;
  }
  const clientId = provider.get('clientId');
  const secretFile = provider.get('clientSecretFile');
  if (clientId !== undefined && secretFile !== undefined)
    return { url, credentials: { type: 'basic', clientId, secret: { env: null, file: secretFile } } };
  if (clientId !== undefined) return { url, credentials: { type: 'public', clientId } };
  return {
    url,
    credentials: tokenFile === null ? { type: 'none' } : { type: 'bearer', token: { env: null, file: tokenFile } },
  };
}
