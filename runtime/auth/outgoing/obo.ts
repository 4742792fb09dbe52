import type { OboPlan } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import type { TokenSource } from './caller-tokens.ts';
import type { OpenSecret } from './open-secret.ts';
import { getSubjectToken } from './subject-token.ts';
import { formatScopes, TokenEndpoint } from './token-endpoint.ts';
import { requireBearer } from './token-response.ts';

const STRATEGY = 'obo';

/** RFC 7523, section 2.1. */
export const JWT_BEARER_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/**
 * On-behalf-of: the gateway presents the caller's token as an assertion and gets a token for the caller.
 *
 * @see RFC 7523, section 2.1
 * @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-on-behalf-of-flow
 */
export function createOboSource(plan: OboPlan, client: HttpClient, openSecret: OpenSecret): TokenSource {
  const { audience, scopes } = plan;
  const endpoint = new TokenEndpoint(STRATEGY, plan, client, openSecret);
  const scope = formatScopes(scopes.length === 0 && audience !== null ? [`${audience}/.default`] : scopes);
  return {
    strategy: STRATEGY,
    skewMs: plan.cacheSkewSeconds * 1000,
    getSubjectToken: (identity, now) => getSubjectToken(STRATEGY, plan.subject, identity, now),
    obtain: async assertion => {
      const parameters = { assertion, requested_token_use: 'on_behalf_of', scope };
      return requireBearer(endpoint.at, await endpoint.request(JWT_BEARER_GRANT, parameters));
    },
  };
}
