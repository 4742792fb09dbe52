import type { TokenExchangePlan } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import { EXPIRY_SKEW_MS, type TokenSource } from './caller-tokens.ts';
import type { OpenSecret } from './open-secret.ts';
import { getSubjectToken } from './subject-token.ts';
import { formatScopes, TokenEndpoint } from './token-endpoint.ts';
import { createUnusableError, requireBearer, type TokenResponse } from './token-response.ts';

const STRATEGY = 'token_exchange';

export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';

/** Token types that can be sent as a bearer token. A refresh or ID token cannot, even if the endpoint declares it as usable. */
const ISSUED_TYPES: ReadonlySet<string | null> = new Set([ACCESS_TOKEN_TYPE, 'urn:ietf:params:oauth:token-type:jwt']);

/**
 * Exchanges the caller's token for a token for the backend.
 *
 * @see RFC 8693, section 2
 */
export function createTokenExchange(plan: TokenExchangePlan, client: HttpClient, openSecret: OpenSecret): TokenSource {
  const { audience, resource, subjectTokenType } = plan;
  const endpoint = new TokenEndpoint(STRATEGY, plan, client, openSecret);
  const target = { audience, resource, scope: formatScopes(plan.scopes) };
  return {
    strategy: STRATEGY,
    skewMs: EXPIRY_SKEW_MS,
    getSubjectToken: (identity, now) => getSubjectToken(STRATEGY, plan.subject, identity, now),
    obtain: async subject => {
      const answer = await endpoint.request(TOKEN_EXCHANGE_GRANT, {
        subject_token: subject,
        subject_token_type: subjectTokenType,
        requested_token_type: ACCESS_TOKEN_TYPE,
        ...target,
      });
      return requireAccessToken(endpoint.at, answer);
    },
    obtainOwn:
      plan.client === null
        ? undefined
        : async () => requireBearer(endpoint.at, await endpoint.request('client_credentials', target)),
  };
}

function requireAccessToken(at: string, answer: TokenResponse): TokenResponse {
  if (answer.issuedTokenType === null) throw createUnusableError(at, 'has no issued_token_type');
  if (!ISSUED_TYPES.has(answer.issuedTokenType))
    throw createUnusableError(at, 'has an issued_token_type that is not an access token');
  return requireBearer(at, answer);
}
