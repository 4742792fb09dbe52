import type { NamingProps } from '../resource.ts';
import type { OAuthClient } from '../values/oauth-client.ts';
import type { HttpsUrl, HttpUrl } from '../values/url.ts';

interface CrossAppTargetProps {
  /** The OAuth client as which the gateway authenticates at the target; without it, requests are unauthenticated. */
  readonly client?: OAuthClient;
  /** Audience of the assertion: the authorization server of the target. */
  readonly audience: string;
  /** Resource indicator of the target. */
  readonly resource?: string;
}

/** The target application; its token endpoint over plain http only with `insecure: true`. */
export type CrossAppTarget =
  | (CrossAppTargetProps & { readonly tokenUrl: HttpsUrl; readonly insecure?: false })
  | (CrossAppTargetProps & { readonly tokenUrl: HttpUrl; readonly insecure: true });

/** Cross-application access: an identity assertion of the identity provider gives access to another application. */
export interface CrossAppProps extends NamingProps {
  /** The identity provider, which issues the assertion. */
  readonly idp: { readonly tokenUrl: HttpsUrl; readonly client?: OAuthClient };
  readonly target: CrossAppTarget;
  /** Requested scopes in both steps. */
  readonly scopes?: readonly string[];
  /** Upstream of the gateway's authorization server whose ID token is used; optional when there is only one. */
  readonly subjectProvider?: string;
}

export function xaaBlock({ idp, target, scopes, subjectProvider }: CrossAppProps): object {
  return {
    idpTokenUrl: idp.tokenUrl,
    idpClientId: idp.client?.id,
    idpClientSecretRef: idp.client?.secret,
    targetTokenUrl: target.tokenUrl,
    insecureTargetTokenUrl: target.insecure,
    targetClientId: target.client?.id,
    targetClientSecretRef: target.client?.secret,
    targetAudience: target.audience,
    targetResource: target.resource,
    scopes,
    subjectProviderName: subjectProvider,
  };
}
