import type { XaaPlan } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import { EXPIRY_SKEW_MS, type TokenSource } from './caller-tokens.ts';
import { CredentialError } from './credential.ts';
import { JWT_BEARER_GRANT } from './obo.ts';
import type { OpenSecret } from './open-secret.ts';
import { getUpstreamToken, requireCaller } from './subject-token.ts';
import { formatScopes, TokenEndpoint } from './token-endpoint.ts';
import { TOKEN_EXCHANGE_GRANT } from './token-exchange.ts';
import { createUnusableError, requireBearer, type TokenResponse } from './token-response.ts';

const STRATEGY = 'xaa';

const ID_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG_TYPE = 'urn:ietf:params:oauth:token-type:id-jag';

/**
 * Cross-application access: the caller's identity provider issues an assertion of the caller's identity for the authorization server of the
 * backend. For this assertion, that server issues an access token.
 *
 * @see https://datatracker.ietf.org/doc/draft-ietf-oauth-identity-assertion-authz-grant/
 */
export function createCrossAppAccess(plan: XaaPlan, client: HttpClient, openSecret: OpenSecret): TokenSource {
  const { provider, target } = plan;
  const idp = new TokenEndpoint(`${STRATEGY}, assertion,`, plan.idp, client, openSecret);
  const authorizationServer = new TokenEndpoint(`${STRATEGY}, token,`, target, client, openSecret);
  const scope = formatScopes(plan.scopes);
  return {
    strategy: STRATEGY,
    skewMs: EXPIRY_SKEW_MS,
    getSubjectToken: (identity, now) => {
      const { upstreamTokens } = requireCaller(STRATEGY, identity);
      const { accessToken, idToken, expiresAt } = getUpstreamToken(STRATEGY, provider, upstreamTokens, now);
      const refused = () => upstreamTokens.refused(provider, accessToken);
      return { token: requireIdToken(provider, idToken), expiresAt, refused };
    },
    obtain: async idToken => {
      const asserted = await idp.request(TOKEN_EXCHANGE_GRANT, {
        subject_token: idToken,
        subject_token_type: ID_TOKEN_TYPE,
        requested_token_type: ID_JAG_TYPE,
        audience: target.audience,
        resource: target.resource,
        scope,
      });
      const assertion = requireAssertion(idp.at, asserted);
      const answer = await authorizationServer.request(JWT_BEARER_GRANT, { assertion, scope });
      return requireBearer(authorizationServer.at, answer);
    },
  };
}

function requireIdToken(provider: string, idToken: string | null): string {
  if (idToken !== null) return idToken;
  const fix = 'add openid to its scopes';
  throw new CredentialError('gateway', `${STRATEGY}: upstream ${JSON.stringify(provider)} issued no ID token; ${fix}`);
}

/** Returns the assertion of a response. Its `token_type` must be `N_A`, because an assertion is not an access token. */
function requireAssertion(at: string, { accessToken, tokenType, issuedTokenType }: TokenResponse): string {
  if (issuedTokenType !== ID_JAG_TYPE)
    throw createUnusableError(at, 'has an issued_token_type that is not an identity assertion');
  if (tokenType !== 'n_a') throw createUnusableError(at, 'has a token_type that is not N_A');
  return accessToken;
}
