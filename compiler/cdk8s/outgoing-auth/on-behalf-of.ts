import type { NamingProps } from '../resource.ts';
import type { OAuthClient } from '../values/oauth-client.ts';
import type { Period } from '../values/period.ts';
import type { HttpsUrl } from '../values/url.ts';

/** What the new token is for: an audience, or delegated scopes of it. */
export type OboTarget =
  | { readonly audience: string; readonly scopes?: never }
  | { readonly scopes: readonly [string, ...string[]]; readonly audience?: never };

/** Gets a delegated token for the person from a directory. */
export type OnBehalfOfProps = NamingProps &
  OboTarget & {
    /** Directory, as a GUID or domain name. */
    readonly tenantId: string;
    /** Base URL of the login service. Default: `https://login.microsoftonline.com`. */
    readonly authority?: HttpsUrl;
    /** The OAuth client as which the gateway authenticates: a confidential client of the directory. */
    readonly client: OAuthClient;
    /** Upstream of the gateway's authorization server whose token is exchanged. Default: the caller's token. */
    readonly subjectProvider?: string;
    /** How long before its expiry a cached token is renewed. Default: `60s`. */
    readonly cacheSkew?: Period;
  };

export function oboBlock(props: OnBehalfOfProps): object {
  const { tenantId, authority, client, audience, scopes, subjectProvider, cacheSkew } = props;
  return {
    tenantId,
    authority,
    clientId: client.id,
    clientSecretRef: client.secret,
    audience,
    scopes,
    subjectTokenProviderName: subjectProvider,
    cacheSkew,
  };
}
