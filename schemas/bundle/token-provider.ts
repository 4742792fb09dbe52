/** An identity provider whose tokens are accepted, as the plans of gateways and of registry servers describe it. */
import type { AddressPolicy } from '../addresses.ts';
import type { SecretSource } from './secret-source.ts';

export interface TokenProviderPlan {
  readonly name: string;
  /** `iss` equals it byte for byte. */
  readonly issuer: string;
  /** `aud` is or contains it. */
  readonly audience: string;
  /** `discovery`: the document at `url` says where the keys are, and the introspection endpoint. `jwks`: they are at `url`. */
  readonly keys: { readonly type: 'discovery' | 'jwks'; readonly url: string };
  /** Bearer token for requests of keys. */
  readonly keysToken: SecretSource | null;
  /** For tokens that are no JWT (RFC 7662). */
  readonly introspection: {
    readonly url: string;
    readonly credentials:
      | { readonly type: 'none' }
      /** A client without a secret says who it is, by `client_id` in the body (RFC 6749, section 3.2.1). */
      | { readonly type: 'public'; readonly clientId: string }
      | { readonly type: 'basic'; readonly clientId: string; readonly secret: SecretSource }
      | { readonly type: 'bearer'; readonly token: SecretSource };
  } | null;
  readonly trust: TrustPlan;
  /** For every connection to the provider. */
  readonly addresses: AddressPolicy;
  /** Plain http is permitted for every URL of the provider, those of its discovery document included. */
  readonly allowsHttp: boolean;
}

/** Which certificate authorities are trusted: the usual ones, or those given, besides the usual ones or in their place. */
export type TrustPlan =
  | { readonly type: 'default' }
  | { readonly type: 'pem'; readonly pem: string; readonly replaces: boolean }
  | { readonly type: 'file'; readonly path: string; readonly replaces: boolean };

/** Protected-resource metadata (RFC 9728), served without a token. */
export interface ResourceMetadataPlan {
  /** What challenges link to. */
  readonly url: string;
  /** Where it is served: the path-inserted location first, then the plain one. */
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
