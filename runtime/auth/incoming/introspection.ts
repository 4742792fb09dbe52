/** Introspects tokens that cannot be verified locally (RFC 7662). Loaded with the first such token, together with `oauth4webapi`. */
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  customFetch,
  type IntrospectionResponse,
  introspectionRequest,
  None,
  processIntrospectionResponse,
} from 'oauth4webapi';
import type { TokenProviderPlan } from '#schemas';
import type { HttpClient } from '../../http/client.ts';
import { RequestError } from '../../http/request-text.ts';
import { createOAuthFetch } from '../oauth-fetch.ts';
import type { Secret } from '../secrets.ts';
import { CLAIM_ERRORS, checkDeclared, checkSharedClaims } from './claims.ts';
import { PROVIDER_TIMEOUT_MS } from './provider-documents.ts';
import { createInvalidError, createUnavailableError, TokenRejectedError } from './token-rejected.ts';

/** Maximum size of a response, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

type IntrospectionCredentials = NonNullable<TokenProviderPlan['introspection']>['credentials'];

export interface IntrospectionEndpoint {
  readonly plan: TokenProviderPlan & { readonly introspection: NonNullable<TokenProviderPlan['introspection']> };
  readonly client: HttpClient;
  /** The client's secret, or the bearer token; undefined without credentials. */
  readonly secret: Secret | undefined;
}

/** The members of the response about an active token with the right audience. */
export type IntrospectedClaims = IntrospectionResponse & { readonly sub: string; readonly exp: number };

/**
 * Introspects a token.
 * @param now milliseconds since 1970
 * @throws TokenRejectedError
 */
export async function introspect(
  token: string,
  endpoint: IntrospectionEndpoint,
  now: number,
): Promise<IntrospectedClaims> {
  const answer = await ask(token, endpoint);
  if (answer.active !== true) throw createInvalidError('the token is not active');
  // For a machine that authenticated as itself, some providers return no subject (RFC 7662, section 2.2: optional): the client id is used.
  const { sub = answer.client_id } = answer;
  const claims = sub === undefined ? answer : { ...answer, sub };
  checkAnswer(claims, endpoint.plan, now);
  return claims as IntrospectedClaims;
}

async function ask(token: string, { plan, client, secret }: IntrospectionEndpoint): Promise<IntrospectionResponse> {
  const { credentials, url } = plan.introspection;
  const server = { issuer: plan.issuer, introspection_endpoint: url };
  // Only some types of credentials have a client id; `oauth4webapi` requires one.
  const self = { client_id: 'clientId' in credentials ? credentials.clientId : 'none' };
  try {
    const response = await introspectionRequest(server, self, toClientAuth(credentials.type, secret), token, {
      additionalParameters: { token_type_hint: 'access_token' },
      [customFetch]: createOAuthFetch(client, { maxBytes: MAX_ANSWER_BYTES, timeoutMs: PROVIDER_TIMEOUT_MS }),
      [allowInsecureRequests]: plan.allowsHttp,
    });
    if (response.status !== 200) throw createUnavailableError(`introspection: answered HTTP ${response.status}`);
    return await processIntrospectionResponse(server, self, response);
  } catch (error) {
    if (error instanceof TokenRejectedError) throw error;
    if (error instanceof RequestError) throw createUnavailableError(`introspection: ${error.message}`);
    throw createUnavailableError('introspection: the answer is not about a token');
  }
}

/** Secrets rotate, so each request uses the current one. */
function toClientAuth(type: IntrospectionCredentials['type'], secret: Secret | undefined): ClientAuth {
  if (type === 'public') return None();
  if (secret === undefined || type === 'none') return () => {};
  if (type === 'basic') return ClientSecretBasic(secret.value);
  return (_server, _client, _body, headers) => headers.set('authorization', `Bearer ${secret.value}`);
}

/**
 * In RFC 7662 most members are optional. The audience and the expiry are required here: without them the token may be for another server, or
 * never expire. A missing issuer is fine: the issuer is the provider that was asked. Token types are case-insensitive (RFC 6749, section 5.1).
 */
function checkAnswer(answer: IntrospectionResponse, plan: TokenProviderPlan, now: number): void {
  const { token_type: type, aud, exp } = answer;
  if (type !== undefined && !(typeof type === 'string' && type.toLowerCase() === 'bearer'))
    throw createInvalidError('the token is of a type other than Bearer');
  if (aud === undefined) throw createInvalidError(CLAIM_ERRORS.aud);
  if (typeof exp !== 'number') throw createInvalidError('the token has no exp');
  checkDeclared(answer, plan, now);
  checkSharedClaims(answer, now);
}
