/** The common parts of all descriptions of an identity provider. */
import type { AddressPolicy, TokenProviderPlan } from '#schemas';
import { classifyHost } from '../analysis/registry/host-kind.ts';

export function lowerProviderKeys(issuer: string, jwksUrl: string | undefined): TokenProviderPlan['keys'] {
  if (jwksUrl !== undefined && jwksUrl !== '') return { type: 'jwks', url: jwksUrl };
  // A single trailing slash of an issuer is removed (OpenID Connect Discovery 1.0, section 4).
  return { type: 'discovery', url: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration` };
}

/** Which addresses the URLs of a provider may lead to. This machine and the cluster's API are allowed only if one of the URLs names them. */
export function lowerProviderAddresses(allowPrivate: boolean, urls: readonly string[]): AddressPolicy {
  if (!allowPrivate) return 'public';
  return urls.some(url => classifyHost(url) === 'platform') ? 'any' : 'private';
}
