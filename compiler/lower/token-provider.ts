/** What all descriptions of an identity provider have in common. */
import type { AddressPolicy, TokenProviderPlan } from '#schemas';
import { hostKind } from '../analysis/registry/host-kind.ts';

export function providerKeys(issuer: string, jwksUrl: string | undefined): TokenProviderPlan['keys'] {
  if (jwksUrl !== undefined && jwksUrl !== '') return { type: 'jwks', url: jwksUrl };
  // One slash at the end of an issuer is removed (OpenID Connect Discovery 1.0, section 4).
  return { type: 'discovery', url: `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration` };
}

/** The machine and the API of the cluster are reached only by a provider whose URL names them. */
export function providerAddresses(allowPrivate: boolean, urls: readonly string[]): AddressPolicy {
  if (!allowPrivate) return 'public';
  return urls.some(url => hostKind(url) === 'platform') ? 'any' : 'private';
}
