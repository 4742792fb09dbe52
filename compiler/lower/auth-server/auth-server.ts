/** Lowers `spec.authServerConfig`. Unsupported features are refused at their own leaf. */
import {
  type AuthorizationPlan,
  type AuthServerPlan,
  compareText,
  ENV_PREFIX,
  type IncomingAuthPlan,
  type VirtualMCPServerSpec,
} from '#schemas';
import { toMountedSecret } from '../../resolve/mounted-secret.ts';
import type { Tracked } from '../../resolve/tracked.ts';
import { parseDurationMs } from '../../text/duration.ts';
import { lowerDelegateClient, lowerTrustedIssuer } from './delegation.ts';
import { lowerAuthServerStorage } from './storage.ts';
import { lowerUpstream } from './upstream.ts';

export type AuthServerSpec = NonNullable<VirtualMCPServerSpec['authServerConfig']>;

/** Scopes that every client may request, besides those requested from upstreams. */
const COMMON_SCOPES = ['openid', 'profile', 'email', 'offline_access'];

const DEFAULT_LIFESPANS = { accessTokenLifespan: '1h', refreshTokenLifespan: '168h', authCodeLifespan: '10m' } as const;

/**
 * Undefined when the spec has no authorization server.
 *
 * @param incoming the incoming authentication; rules require the same issuer
 * @param authorization its policies may read claims of an upstream
 * @param namespace namespace of the gateway
 */
export function lowerAuthServer(
  spec: Tracked<VirtualMCPServerSpec>,
  incoming: IncomingAuthPlan,
  authorization: AuthorizationPlan,
  namespace: string,
): AuthServerPlan | undefined {
  const server = spec.child('authServerConfig');
  if (server === undefined) return undefined;
  readWhatRulesHonour(server);
  readPrimaryUpstream(server, authorization);
  const issuer = server.get('issuer');
  const { resource, audience } = lowerTarget(incoming);
  const upstreams = server.items('upstreamProviders').flatMap(upstream => lowerUpstream(upstream, resource) ?? []);
  return {
    issuer,
    browserBase: server.get('authorizationEndpointBaseUrl') || issuer,
    resource,
    audience,
    scopes: [...new Set([...COMMON_SCOPES, ...upstreams.flatMap(({ scopes }) => scopes)])].sort(compareText),
    signingKeys: (server.get('signingKeySecretRefs') ?? []).map((ref, index) =>
      toMountedSecret(ref, `${ENV_PREFIX}AUTH_SERVER_SIGNING_KEY_${index}`),
    ),
    hmacSecrets: (server.get('hmacSecretRefs') ?? []).map((ref, index) =>
      toMountedSecret(ref, `${ENV_PREFIX}AUTH_SERVER_HMAC_SECRET_${index}`),
    ),
    lifespans: lowerLifespans(server),
    registration: {
      baselineScopes: server.get('baselineClientScopes') ?? [],
      allowsSecrets: server.get('allowConfidentialClientRegistration') === true,
      secretRedirectUris: server.get('forceConfidentialRedirectUris') ?? [],
    },
    delegateClients: server.items('delegateClients').map(lowerDelegateClient),
    trustedIssuers: server.items('trustedIssuers').map(lowerTrustedIssuer),
    clientDocuments: lowerClientDocuments(server.child('cimd')),
    injectsUpstreamTokens: needsUpstreamTokens(server, authorization),
    upstreams,
    storage: lowerAuthServerStorage(server.child('storage'), namespace),
  };
}

/** Rules read these two fields when they check which URLs may be plain http. The plan needs neither. */
function readWhatRulesHonour(server: Tracked<AuthServerSpec>): void {
  server.get('insecureAllowHTTP');
  server.get('insecureAllowConfidentialOverLoopbackHTTP');
}

/** Reads or ignores `primaryUpstreamProvider`. If there are policies, `lowerAuthorization` writes it into their plan. */
function readPrimaryUpstream(server: Tracked<AuthServerSpec>, { engine }: AuthorizationPlan): void {
  if (engine === 'cedar') server.get('primaryUpstreamProvider');
  else server.ignore('primaryUpstreamProvider', 'there are no policies that could read its claims');
}

/**
 * Whether requests need the upstream tokens of their callers. With `disableUpstreamTokenInjection` only policies may need them: rules and
 * `outgoingAuth` ensure that no backend gets such a token then.
 */
function needsUpstreamTokens(server: Tracked<AuthServerSpec>, authorization: AuthorizationPlan): boolean {
  const areRead = authorization.engine === 'cedar' && authorization.primaryUpstream !== undefined;
  return server.get('disableUpstreamTokenInjection') !== true || areRead;
}

function lowerClientDocuments(
  cimd: Tracked<NonNullable<AuthServerSpec['cimd']>> | undefined,
): AuthServerPlan['clientDocuments'] {
  if (cimd?.get('enabled') !== true) {
    cimd?.ignoreRest('enabled is not true');
    return null;
  }
  return {
    maxCached: cimd.get('cacheMaxSize') ?? 256,
    freshSeconds: Math.floor(parseDurationMs(cimd.get('cacheFallbackTtl') ?? '5m') / 1000),
  };
}

function lowerTarget(incoming: IncomingAuthPlan): Pick<AuthServerPlan, 'resource' | 'audience'> {
  const audience = incoming.type === 'oidc' ? (incoming.providers[0]?.audience ?? '') : '';
  const resource = incoming.type === 'oidc' ? incoming.resourceMetadata?.document.resource : undefined;
  return { resource: resource ?? audience, audience };
}

function lowerLifespans(server: Tracked<AuthServerSpec>): AuthServerPlan['lifespans'] {
  const lifespans = server.child('tokenLifespans');
  const seconds = (field: keyof typeof DEFAULT_LIFESPANS) =>
    Math.max(1, Math.floor(parseDurationMs(lifespans?.get(field) ?? DEFAULT_LIFESPANS[field]) / 1000));
  return {
    accessTokenSeconds: seconds('accessTokenLifespan'),
    refreshTokenSeconds: seconds('refreshTokenLifespan'),
    authCodeSeconds: seconds('authCodeLifespan'),
  };
}
