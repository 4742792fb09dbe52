/** Clients that get tokens of a gateway without a sign-in: delegates of people, and workloads with assertions of other issuers. */
import type { DelegateClientPlan, TrustedIssuerPlan } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { parseDurationMs } from '../../text/duration.ts';
import { lowerReferredSecret } from '../outgoing/secrets.ts';
import { lowerProviderAddresses, lowerProviderKeys } from '../token-provider.ts';
import type { AuthServerSpec } from './auth-server.ts';

type DelegateClient = NonNullable<AuthServerSpec['delegateClients']>[number];
type TrustedIssuer = NonNullable<AuthServerSpec['trustedIssuers']>[number];

/** The claim with the client that a token was issued to (OpenID Connect Core 1.0, section 2). */
const DEFAULT_ACTOR_CLAIM = 'azp';

export function lowerDelegateClient(client: Tracked<DelegateClient>): DelegateClientPlan {
  const id = client.get('clientId');
  return {
    id,
    secret: lowerReferredSecret(client.get('clientSecretRef'), 'DELEGATE_CLIENT_SECRET', id),
    scopes: client.get('scopes'),
    audiences: client.get('audiences'),
  };
}

export function lowerTrustedIssuer(trusted: Tracked<TrustedIssuer>): TrustedIssuerPlan {
  const issuer = trusted.get('issuerUrl');
  const keys = lowerProviderKeys(issuer, trusted.get('jwksUrl'));
  return {
    issuer,
    keys,
    exchange: lowerExchange(trusted),
    assertions: lowerAssertions(trusted.child('jwtBearerGrant')),
    addresses: lowerProviderAddresses(trusted.get('allowPrivateIPs') === true, [keys.url]),
    allowsHttp: trusted.get('insecureAllowHTTP') === true,
  };
}

/**
 * Which clients may exchange tokens of a trusted issuer; null when none may, so that only its assertions are accepted. Rules of the schema require
 * that the spec allows one of the two.
 */
function lowerExchange(trusted: Tracked<TrustedIssuer>): TrustedIssuerPlan['exchange'] {
  const clients = trusted.get('allowedDelegateClients');
  const audience = trusted.get('expectedAudience');
  if (clients === undefined || audience === undefined) {
    for (const field of ['actorClaim', 'allowedActors', 'actorMatcher', 'allowMayAct'] as const)
      trusted.ignore(field, 'no client may exchange tokens of this issuer (allowedDelegateClients)');
    return null;
  }
  return {
    audience,
    clients,
    actorClaim: trusted.get('actorClaim') || DEFAULT_ACTOR_CLAIM,
    actors: trusted.get('allowedActors') ?? [],
    actorMatcher: trusted.get('actorMatcher') || null,
    allowsMayAct: trusted.get('allowMayAct') === true,
  };
}

function lowerAssertions(
  grant: Tracked<NonNullable<TrustedIssuer['jwtBearerGrant']>> | undefined,
): TrustedIssuerPlan['assertions'] {
  if (grant === undefined) return null;
  return {
    maxAgeSeconds: Math.floor(parseDurationMs(grant.get('maxAssertionAge')) / 1000),
    audiences: grant.get('acceptedAudiences') ?? [],
    subjects: grant.items('subjectBindings').map(binding => ({
      subject: binding.get('subject'),
      resources: binding.get('allowedResources'),
    })),
  };
}
