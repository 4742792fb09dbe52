import type { NamingProps } from '../resource.ts';
import type { OAuthClient } from '../values/oauth-client.ts';
import type { HttpsUrl, HttpUrl } from '../values/url.ts';

interface Target {
  /** How the gateway names itself at the target; without it, it does not. */
  readonly client?: OAuthClient;
  /** Audience of the assertion: the authorization server of the target. */
  readonly audience: string;
  /** Resource indicator of the target. */
  readonly resource?: string;
}

/** The application that is opened; its token endpoint over plain http only with `insecure: true`. */
export type CrossAppTarget =
  | (Target & { readonly tokenUrl: HttpsUrl; readonly insecure?: false })
  | (Target & { readonly tokenUrl: HttpUrl; readonly insecure: true });

/** An identity assertion of the identity provider opens another application. */
export interface CrossAppProps extends NamingProps {
  /** The identity provider, which issues the assertion. */
  readonly idp: { readonly tokenUrl: HttpsUrl; readonly client?: OAuthClient };
  readonly target: CrossAppTarget;
  /** Scopes to ask for in both steps. */
  readonly scopes?: readonly string[];
  /** Upstream of the gateway's authorization server whose ID token is used; may be left out when there is only one. */
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
