/** Which credential a backend gets. */
import type { SecretSource } from './secret-source.ts';

export type OutgoingAuthPlan =
  | { readonly type: 'unauthenticated' }
  | HeaderInjectionPlan
  | TokenExchangePlan
  | UpstreamInjectPlan
  | AwsStsPlan
  | OboPlan
  | XaaPlan;

/** The subject token: the one in the caller's request, or the one that an upstream issued for the caller. */
export type SubjectPlan = { readonly type: 'caller' } | { readonly type: 'upstream'; readonly provider: string };

/** How the gateway authenticates at a token endpoint; without a secret, it sends no client authentication. */
export interface OAuthClientPlan {
  readonly id: string;
  readonly secret: SecretSource;
}

/** A fixed value in one header, for every caller. */
export interface HeaderInjectionPlan {
  readonly type: 'header_injection';
  readonly header: string;
  /** Text before the value, followed by a space; absent when the secret is the whole value. */
  readonly scheme?: 'Bearer';
  readonly value: SecretSource;
}

/** Token exchange (RFC 8693). */
export interface TokenExchangePlan {
  readonly type: 'token_exchange';
  readonly tokenUrl: string;
  readonly client: OAuthClientPlan | null;
  readonly audience: string | null;
  readonly resource: string | null;
  readonly scopes: readonly string[];
  /** The URN of the type of token that the gateway exchanges. */
  readonly subjectTokenType: string;
  readonly subject: SubjectPlan;
}

export interface UpstreamInjectPlan {
  readonly type: 'upstream_inject';
  readonly provider: string;
}

/** AssumeRoleWithWebIdentity, then Signature Version 4 on every request. */
export interface AwsStsPlan {
  readonly type: 'aws_sts';
  readonly region: string;
  /** Name of the service in the signature. */
  readonly service: string;
  /** The mappings in the order of evaluation: ascending priority numbers, then mappings without one, each in the order of the spec. */
  readonly mappings: readonly AwsRoleMappingPlan[];
  readonly fallbackRoleArn: string | null;
  /** Claim that `value` mappings compare. */
  readonly roleClaim: string;
  /** The lifetime of the session in seconds, from 900 to 43200. */
  readonly sessionDurationSeconds: number;
  /** Claim whose value becomes the session name. */
  readonly sessionNameClaim: string;
  readonly subject: SubjectPlan;
  /** URL of the token service; by default the one of the region. Tests replace it. */
  readonly stsUrl: string;
}

export type AwsRoleMappingPlan =
  | { readonly type: 'value'; readonly value: string; readonly roleArn: string }
  /** CEL expression over `claims` that yields a boolean. */
  | { readonly type: 'cel'; readonly expression: string; readonly roleArn: string };

/** JWT bearer grant with `requested_token_use=on_behalf_of` (RFC 7523 with the extension of Microsoft's directory). */
export interface OboPlan {
  readonly type: 'obo';
  readonly tokenUrl: string;
  readonly client: OAuthClientPlan | null;
  /** Requested as scope `<audience>/.default` when there are no scopes. */
  readonly audience: string | null;
  readonly scopes: readonly string[];
  readonly subject: SubjectPlan;
  /** How long before its expiry a cached token is replaced; seconds. */
  readonly cacheSkewSeconds: number;
}

/** An identity assertion of the identity provider (RFC 8693), exchanged at the target for a token (RFC 7523). */
export interface XaaPlan {
  readonly type: 'xaa';
  readonly idp: { readonly tokenUrl: string; readonly client: OAuthClientPlan | null };
  readonly target: {
    readonly tokenUrl: string;
    readonly client: OAuthClientPlan | null;
    readonly audience: string;
    readonly resource: string | null;
  };
  readonly scopes: readonly string[];
  /** The upstream whose ID token is exchanged. */
  readonly provider: string;
}

/** A header that every request to a backend carries, unless another setting has set it. */
export interface ForwardedHeaderPlan {
  readonly name: string;
  readonly value:
    | { readonly type: 'text'; readonly text: string }
    | { readonly type: 'secret'; readonly from: SecretSource };
}
