/** An identity provider whose tokens are accepted; used by the plans of gateways and registry servers. */
import type { AddressPolicy } from '../addresses.ts';
import type { SecretSource } from './secret-source.ts';

export interface TokenProviderPlan {
  readonly name: string;
  /** A token's `iss` must equal this text byte for byte. */
  readonly issuer: string;
  /** A token's `aud` must be this text or contain it. */
  readonly audience: string;
  /** `discovery`: the document at `url` names the endpoints for keys and introspection. `jwks`: the keys are at `url`. */
  readonly keys: { readonly type: 'discovery' | 'jwks'; readonly url: string };
  /** Bearer token for fetching keys. */
  readonly keysToken: SecretSource | null;
  /** How the gateway validates tokens that are not JWTs (RFC 7662). */
  readonly introspection: {
    readonly url: string;
    readonly credentials:
      | { readonly type: 'none' }
      /** A client without a secret, which identifies itself by `client_id` in the body (RFC 6749, section 3.2.1). */
      | { readonly type: 'public'; readonly clientId: string }
      | { readonly type: 'basic'; readonly clientId: string; readonly secret: SecretSource }
      | { readonly type: 'bearer'; readonly token: SecretSource };
  } | null;
  readonly trust: TrustPlan;
  /** Which addresses connections to the provider may reach. */
  readonly addresses: AddressPolicy;
  /** Whether plain http is allowed for every URL of the provider, including those in its discovery document. */
  readonly allowsHttp: boolean;
}

/** The trusted certificate authorities: the default ones, or given ones in addition to them or in their place. */
export type TrustPlan =
  | { readonly type: 'default' }
  | { readonly type: 'pem'; readonly pem: string; readonly replaces: boolean }
  | { readonly type: 'file'; readonly path: string; readonly replaces: boolean };

/** Protected-resource metadata (RFC 9728), served without a token. */
export interface ResourceMetadataPlan {
  /** The URL that challenges link to. */
  readonly url: string;
  /** The paths that serve it: the path-inserted location first, then the plain one. */
  readonly paths: readonly string[];
  readonly document: {
    readonly resource: string;
    /** Issuers in the order of the providers, each once. */
    readonly authorization_servers: readonly string[];
    readonly bearer_methods_supported: readonly ['header'];
    readonly scopes_supported?: readonly string[];
    readonly resource_documentation?: string;
  };
}
