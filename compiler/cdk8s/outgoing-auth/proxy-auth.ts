import { Construct } from 'constructs';
import { captureCall } from '../origins.ts';
import type { NamingProps } from '../resource.ts';
import type { SecretKey } from '../values/secret.ts';
import { type AuthReference, externalAuth } from './external-auth.ts';

/** Sends a fixed bearer token. */
export interface BearerTokenProps extends NamingProps {
  /** Reference to the token. */
  readonly token: SecretKey;
}

/**
 * A credential that the proxy in front of a single server sends (`MCPExternalAuthConfig`). Gateways cannot use it, so it is not an {@link
 * OutgoingAuth}.
 *
 * @example
 * const token = ProxyAuth.bearerToken(this, 'search-token', { token: Secret.key('search', 'token') });
 * Backend.remote(this, 'search', { group, remoteUrl: 'https://search.example/mcp', auth: token });
 */
export class ProxyAuth extends Construct implements AuthReference {
  readonly kind = 'MCPExternalAuthConfig';
  readonly name: string;

  private constructor(scope: Construct, id: string, props: NamingProps) {
    super(scope, id);
    this.name = props.name ?? id;
  }

  /**
   * Sends a fixed bearer token.
   *
   * @example
   * ProxyAuth.bearerToken(this, 'search-token', { token: Secret.key('search', 'token') });
   */
  static bearerToken(scope: Construct, id: string, props: BearerTokenProps): ProxyAuth {
    const auth = new ProxyAuth(scope, id, props);
    const block = { tokenSecretRef: props.token };
    externalAuth(auth, props, 'bearerToken', block, captureCall(ProxyAuth.bearerToken), {
      tokenSecretRef: [2, 'token'],
    });
    return auth;
  }
}
