import type { NamingProps } from '../resource.ts';
import type { OAuthClient } from '../values/oauth-client.ts';
import type { SafeUrl } from '../values/url.ts';

/** Exchanges the caller's token for one that the backend accepts (RFC 8693). */
export interface TokenExchangeProps extends NamingProps {
  /** Token endpoint that performs the exchange. */
  readonly tokenUrl: SafeUrl;
  /**
   * Audience of the new token. Use a different one for each backend: a backend could reuse the token at every server that accepts its audience.
   */
  readonly audience: string;
  /** The OAuth client as which the gateway authenticates at the endpoint; without it, requests are unauthenticated. */
  readonly client?: OAuthClient;
  /** Requested scopes. */
  readonly scopes?: readonly string[];
  /** Type of the exchanged token. Default: an access token. */
  readonly subjectTokenType?: 'access_token' | 'id_token' | 'jwt';
  /** Upstream of the gateway's authorization server whose token is exchanged. Default: the first upstream, or without one the caller's token. */
  readonly subjectProvider?: string;
}

export function tokenExchangeBlock({ tokenUrl, audience, client, ...rest }: TokenExchangeProps): object {
  const { scopes, subjectTokenType, subjectProvider } = rest;
  return {
    tokenUrl,
    audience,
    clientId: client?.id,
    clientSecretRef: client?.secret,
    scopes,
    subjectTokenType,
    subjectProviderName: subjectProvider,
  };
}
