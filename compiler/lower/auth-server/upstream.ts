/** An identity provider at which users sign in. */
import { AUTH_SERVER_PATHS, type UpstreamPlan, type UpstreamRegistrationPlan, type UserInfoPlan } from '#schemas';
import type { Tracked } from '../../resolve/tracked.ts';
import { isLoopback, isPlainHttp } from '../../rules/support/plain-http.ts';
import { lowerReferredSecret } from '../outgoing/secrets.ts';
import type { AuthServerSpec } from './auth-server.ts';

type UpstreamSpec = AuthServerSpec['upstreamProviders'][number];
type Oidc = NonNullable<UpstreamSpec['oidcConfig']>;
type OAuth2 = NonNullable<UpstreamSpec['oauth2Config']>;
type Registration = NonNullable<OAuth2['dcrConfig']>;
type UserInfo = NonNullable<OAuth2['userInfo']>;

/** Default scopes of an OpenID provider. */
const OIDC_SCOPES = ['openid', 'offline_access'];

/**
 * Undefined when the block of its type is missing, which schema rules refuse.
 * @param resource the URL of the gateway
 */
export function lowerUpstream(upstream: Tracked<UpstreamSpec>, resource: string): UpstreamPlan | undefined {
  const name = upstream.get('name');
  const redirectUri = `${resource.replace(/\/$/, '')}${AUTH_SERVER_PATHS.callback}`;
  if (upstream.get('type') === 'oidc') {
    const oidc = upstream.child('oidcConfig');
    return oidc && lowerOidcUpstream(name, oidc, redirectUri);
  }
  const oauth2 = upstream.child('oauth2Config');
  return oauth2 && lowerOAuth2Upstream(name, oauth2, redirectUri);
}

function lowerCommon(name: string, block: Tracked<Oidc> | Tracked<OAuth2>, redirectUri: string) {
  const of = block as Tracked<Oidc & OAuth2>;
  const secret = of.get('clientSecretRef');
  return {
    name,
    clientId: of.get('clientId') || null,
    clientSecret: secret === undefined ? null : lowerReferredSecret(secret, 'UPSTREAM_CLIENT_SECRET', name),
    redirectUri: of.get('redirectUri') || redirectUri,
    authorizationParams: of.get('additionalAuthorizationParams') ?? {},
  };
}

function lowerOidcUpstream(name: string, oidc: Tracked<Oidc>, redirectUri: string): UpstreamPlan {
  const scopes = oidc.get('scopes') ?? [];
  return {
    type: 'oidc',
    ...lowerCommon(name, oidc, redirectUri),
    issuer: oidc.get('issuerUrl'),
    scopes: scopes.length === 0 ? OIDC_SCOPES : scopes,
    subjectClaim: oidc.get('subjectClaim') || 'sub',
    userInfo: lowerUserInfo(oidc.child('userInfoOverride')),
    // No field restricts addresses, and an identity provider is often inside of the cluster.
    addresses: 'any',
    allowsHttp: false,
  };
}

function lowerOAuth2Upstream(name: string, oauth2: Tracked<OAuth2>, redirectUri: string): UpstreamPlan {
  const identity = oauth2.child('identityFromToken');
  const response = oauth2.child('tokenResponseMapping');
  if (identity !== undefined) oauth2.ignore('userInfo', 'identityFromToken says who signed in');
  return {
    type: 'oauth2',
    registration: lowerRegistration(name, oauth2.child('dcrConfig')),
    ...lowerCommon(name, oauth2, redirectUri),
    authorizationEndpoint: oauth2.get('authorizationEndpoint'),
    tokenEndpoint: oauth2.get('tokenEndpoint'),
    scopes: oauth2.get('scopes') ?? [],
    userInfo: identity === undefined ? lowerUserInfo(oauth2.child('userInfo')) : null,
    identityFromToken:
      identity === undefined
        ? null
        : {
            subjectPath: identity.get('subjectPath'),
            namePath: identity.get('namePath') ?? null,
            emailPath: identity.get('emailPath') ?? null,
          },
    tokenResponse:
      response === undefined
        ? null
        : {
            accessTokenPath: response.get('accessTokenPath'),
            refreshTokenPath: response.get('refreshTokenPath') || 'refresh_token',
            expiresInPath: response.get('expiresInPath') || 'expires_in',
            scopePath: response.get('scopePath') || 'scope',
          },
    addresses: oauth2.get('allowPrivateIPs') === true ? 'any' : 'public',
    allowsHttp: oauth2.get('insecureAllowHTTP') === true || areOnThisMachine(oauth2),
  };
}

/** Whether plain http stays on the machine: rules refuse it for other hosts. */
function areOnThisMachine(oauth2: Tracked<OAuth2>): boolean {
  const { endpointUrl = '' } = oauth2.peek('userInfo') ?? {};
  const plain = [oauth2.peek('authorizationEndpoint'), oauth2.peek('tokenEndpoint'), endpointUrl].filter(isPlainHttp);
  return plain.length > 0 && plain.every(isLoopback);
}

function lowerRegistration(name: string, dcr: Tracked<Registration> | undefined): UpstreamRegistrationPlan | null {
  if (dcr === undefined) return null;
  const token = dcr.get('initialAccessTokenRef');
  return {
    discoveryUrl: dcr.get('discoveryUrl') || null,
    endpoint: dcr.get('registrationEndpoint') || null,
    initialAccessToken: token === undefined ? null : lowerReferredSecret(token, 'UPSTREAM_INITIAL_ACCESS_TOKEN', name),
    softwareId: dcr.get('softwareId') || null,
    softwareStatement: dcr.get('softwareStatement') || null,
  };
}

function lowerUserInfo(userInfo: Tracked<UserInfo> | undefined): UserInfoPlan | null {
  if (userInfo === undefined) return null;
  const fields = userInfo.child('fieldMapping');
  const named = (list: readonly string[] | undefined, fallback: string): readonly string[] =>
    list === undefined || list.length === 0 ? [fallback] : list;
  return {
    url: userInfo.get('endpointUrl'),
    method: userInfo.get('httpMethod') ?? 'GET',
    headers: userInfo.get('additionalHeaders') ?? {},
    subjectFields: named(fields?.get('subjectFields'), 'sub'),
    nameFields: named(fields?.get('nameFields'), 'name'),
    emailFields: named(fields?.get('emailFields'), 'email'),
  };
}
