import type { NamingProps } from '../resource.ts';
import type { OAuthClient } from '../values/oauth-client.ts';
import type { SafeUrl } from '../values/url.ts';

/** Exchanges the token of the caller for one that the backend accepts (RFC 8693). */
export interface TokenExchangeProps extends NamingProps {
  /** Token endpoint that performs the exchange. */
  readonly tokenUrl: SafeUrl;
  /** Audience of the new token. Give every backend its own: it could use at others what it is sent. */
  readonly audience: string;
  /** How the gateway names itself at the endpoint; without it, it does not. */
  readonly client?: OAuthClient;
  /** Scopes to ask for. */
  readonly scopes?: readonly string[];
  /** What is handed in. Default: an access token. */
  readonly subjectTokenType?: 'access_token' | 'id_token' | 'jwt';
  /** Upstream of the gateway's authorization server whose token is handed in. Default: its first, else the token of the caller. */
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
