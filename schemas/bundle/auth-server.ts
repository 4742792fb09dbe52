/** The embedded OAuth authorization server of a gateway: people sign in through upstreams, and it issues its own tokens. */
import type { AddressPolicy } from '../addresses.ts';
import type { RedisPlan } from './redis.ts';
import type { SecretSource } from './secret-source.ts';
import type { TokenProviderPlan } from './token-provider.ts';

export interface AuthServerPlan {
  /** `iss` of its tokens, without a slash at its end. */
  readonly issuer: string;
  /** The base of the URLs that browsers are sent to: the issuer, unless browsers use another host. */
  readonly browserBase: string;
  /** The URL of the gateway, which is the only resource that clients may name (RFC 8707). */
  readonly resource: string;
  /** The `aud` of access tokens. */
  readonly audience: string;
  /** Scopes that clients may ask for; sorted. */
  readonly scopes: readonly string[];
  /** PEM private keys: the first one signs, the others only verify. Empty: the server generates one when it starts. */
  readonly signingKeys: readonly SecretSource[];
  /**
   * Secrets for authorization codes, refresh tokens and stored data: the first one signs, the others only verify. Empty: the server generates
   * one when it starts.
   */
  readonly hmacSecrets: readonly SecretSource[];
  /** Lifetimes of what the server issues; seconds. */
  readonly lifespans: {
    readonly accessTokenSeconds: number;
    readonly refreshTokenSeconds: number;
    readonly authCodeSeconds: number;
  };
  readonly registration: {
    /** Scopes that every registered client gets in addition to those it requests. */
    readonly baselineScopes: readonly string[];
    /** Whether clients may register with a secret. */
    readonly allowsSecrets: boolean;
    /** Redirect URIs whose clients always get a secret. */
    readonly secretRedirectUris: readonly string[];
  };
  /** Clients that the operator has registered; they exchange users' tokens for tokens of their own (RFC 8693). */
  readonly delegateClients: readonly DelegateClientPlan[];
  /** Other issuers whose tokens can be exchanged for tokens of this server. */
  readonly trustedIssuers: readonly TrustedIssuerPlan[];
  /** Clients that are identified by the URL of a document that describes them. Null: clients have to register. */
  readonly clientDocuments: {
    /** The maximum number of cached documents. */
    readonly maxCached: number;
    /** How long a cached document is used; seconds. */
    readonly freshSeconds: number;
  } | null;
  /** Whether requests need upstream tokens: backends receive them, or policies read them. */
  readonly injectsUpstreamTokens: boolean;
  /** The upstreams in the order in which users sign in; the first one identifies the user. At least one. */
  readonly upstreams: readonly UpstreamPlan[];
  /** Null: the state is kept in the memory of the process. */
  readonly storage: { readonly redis: RedisPlan } | null;
}

export interface DelegateClientPlan {
  readonly id: string;
  readonly secret: SecretSource;
  /** Scopes that its tokens can grant; at least one each. */
  readonly scopes: readonly string[];
  readonly audiences: readonly string[];
}

export interface TrustedIssuerPlan {
  readonly issuer: string;
  readonly keys: TokenProviderPlan['keys'];
  /** Which of the issuer's tokens delegate clients can exchange. Null: none. */
  readonly exchange: {
    /** A text that `aud` must contain. */
    readonly audience: string;
    /** Client identifiers, or `*` alone for all clients. */
    readonly clients: readonly string[];
    /** Claim that names the client that a token was issued to. */
    readonly actorClaim: string;
    /** Accepted values of that claim. Empty: any. */
    readonly actors: readonly string[];
    /** CEL expression over `claims` that must be true. */
    readonly actorMatcher: string | null;
    /** Whether a token that names the exchanging client in `may_act` is always accepted. */
    readonly allowsMayAct: boolean;
  } | null;
  /** The issuer's assertions that can be exchanged for tokens (RFC 7523). Null: none. */
  readonly assertions: {
    readonly maxAgeSeconds: number;
    /** Accepted values of `aud` besides the issuer and the token endpoint of this server. */
    readonly audiences: readonly string[];
    readonly subjects: readonly { readonly subject: string; readonly resources: readonly string[] }[];
  } | null;
  /** Which addresses connections to the issuer may reach. */
  readonly addresses: AddressPolicy;
  readonly allowsHttp: boolean;
}

export type UpstreamPlan = OidcUpstreamPlan | OAuth2UpstreamPlan;

interface UpstreamCommon {
  readonly name: string;
  /** The gateway's client id at the upstream; null if the gateway registers itself. */
  readonly clientId: string | null;
  /** The gateway's client secret at the upstream; null if the gateway is a public client. */
  readonly clientSecret: SecretSource | null;
  /** The URL to which the upstream redirects browsers. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Further parameters of the authorization request. */
  readonly authorizationParams: { readonly [name: string]: string };
  readonly userInfo: UserInfoPlan | null;
  /** Which addresses connections to the upstream may reach. */
  readonly addresses: AddressPolicy;
  readonly allowsHttp: boolean;
}

/** OpenID Connect: its endpoints are discovered. */
export interface OidcUpstreamPlan extends UpstreamCommon {
  readonly type: 'oidc';
  readonly issuer: string;
  /** Claim of the ID token that identifies the user. */
  readonly subjectClaim: string;
}

/** How the gateway registers at an upstream (RFC 7591). One of the first two members is set. */
export interface UpstreamRegistrationPlan {
  /** URL of the metadata that names the registration endpoint. */
  readonly discoveryUrl: string | null;
  readonly endpoint: string | null;
  /** Token that authorizes the registration. */
  readonly initialAccessToken: SecretSource | null;
  readonly softwareId: string | null;
  /** A signed JWT about the client software (RFC 7591, section 2.3). */
  readonly softwareStatement: string | null;
}

/** OAuth 2 without OpenID Connect: the spec names the endpoints. */
export interface OAuth2UpstreamPlan extends UpstreamCommon {
  readonly type: 'oauth2';
  /** How the gateway registers itself at the upstream; null if the operator has registered it. */
  readonly registration: UpstreamRegistrationPlan | null;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Where in the token response the gateway finds the user's identity; wins over `userInfo`. */
  readonly identityFromToken: {
    readonly subjectPath: string;
    readonly namePath: string | null;
    readonly emailPath: string | null;
  } | null;
  /** Where the gateway finds the members of a token response that does not follow OAuth. */
  readonly tokenResponse: {
    readonly accessTokenPath: string;
    readonly refreshTokenPath: string;
    readonly expiresInPath: string;
    readonly scopePath: string;
  } | null;
}

/** A request that identifies the user at an upstream. The first field that is not empty is used. */
export interface UserInfoPlan {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: { readonly [name: string]: string };
  readonly subjectFields: readonly string[];
  readonly nameFields: readonly string[];
  readonly emailFields: readonly string[];
}

/** Paths below the issuer. Clients and upstreams store them, so they cannot change. */
export const AUTH_SERVER_PATHS = {
  authorize: '/oauth/authorize',
  callback: '/oauth/callback',
  token: '/oauth/token',
  register: '/oauth/register',
  signIn: '/oauth/sign-in',
  jwks: '/.well-known/jwks.json',
} as const;
