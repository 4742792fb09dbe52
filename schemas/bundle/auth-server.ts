/** The embedded OAuth authorization server of a gateway: people sign in through upstreams, and it issues its own tokens. */
import type { AddressPolicy } from '../addresses.ts';
import type { RedisPlan } from './redis.ts';
import type { SecretSource } from './secret-source.ts';
import type { TokenProviderPlan } from './token-provider.ts';

export interface AuthServerPlan {
  /** `iss` of its tokens, without a slash at its end. */
  readonly issuer: string;
  /** What the URLs begin with that browsers are sent to: the issuer, unless they use another host. */
  readonly browserBase: string;
  /** The URL of the gateway, which is the only resource that clients may name (RFC 8707). */
  readonly resource: string;
  /** `aud` of access tokens. */
  readonly audience: string;
  /** Scopes that clients may ask for; sorted. */
  readonly scopes: readonly string[];
  /** PEM private keys: the first signs, the others only verify. Empty: one is made at the start. */
  readonly signingKeys: readonly SecretSource[];
  /** Secrets of codes, refresh tokens and what is stored: the first makes, the others only verify. Empty: one is made at the start. */
  readonly hmacSecrets: readonly SecretSource[];
  /** How long what is issued lives; seconds. */
  readonly lifespans: {
    readonly accessTokenSeconds: number;
    readonly refreshTokenSeconds: number;
    readonly authCodeSeconds: number;
  };
  readonly registration: {
    /** Scopes that every registered client gets besides those it asks for. */
    readonly baselineScopes: readonly string[];
    /** Whether clients may ask for a secret. */
    readonly allowsSecrets: boolean;
    /** Redirect URIs whose clients always get a secret. */
    readonly secretRedirectUris: readonly string[];
  };
  /** Clients that the operator has registered, which exchange tokens of people for tokens of their own (RFC 8693). */
  readonly delegateClients: readonly DelegateClientPlan[];
  /** Foreign issuers whose tokens are good for tokens of this server. */
  readonly trustedIssuers: readonly TrustedIssuerPlan[];
  /** Clients that are known by the URL of a document that describes them. Null: clients register. */
  readonly clientDocuments: {
    /** How many documents are kept. */
    readonly maxCached: number;
    /** How long one is used before it is fetched again. */
    readonly freshSeconds: number;
  } | null;
  /** Whether tokens of upstreams are at hand for requests: backends get them, or policies read them. */
  readonly injectsUpstreamTokens: boolean;
  /** In the order in which people sign in; the first says who they are. At least one. */
  readonly upstreams: readonly UpstreamPlan[];
  /** Null: what it must not forget is in the memory of the process. */
  readonly storage: { readonly redis: RedisPlan } | null;
}

export interface DelegateClientPlan {
  readonly id: string;
  readonly secret: SecretSource;
  /** What its tokens can be for; at least one each. */
  readonly scopes: readonly string[];
  readonly audiences: readonly string[];
}

export interface TrustedIssuerPlan {
  readonly issuer: string;
  readonly keys: TokenProviderPlan['keys'];
  /** Which of its tokens delegate clients can exchange. Null: none. */
  readonly exchange: {
    /** Has to be in `aud`. */
    readonly audience: string;
    /** Identifiers of the clients, or `*` alone for all of them. */
    readonly clients: readonly string[];
    /** Claim that names the client that a token was issued to. */
    readonly actorClaim: string;
    /** Values of it that count. Empty: any. */
    readonly actors: readonly string[];
    /** CEL over `claims` that has to be true. */
    readonly actorMatcher: string | null;
    /** Whether a token that names the exchanging client in `may_act` counts in any case. */
    readonly allowsMayAct: boolean;
  } | null;
  /** Assertions of its that are good for tokens (RFC 7523). Null: none. */
  readonly assertions: {
    readonly maxAgeSeconds: number;
    /** What `aud` may be besides the issuer and the token endpoint of this server. */
    readonly audiences: readonly string[];
    readonly subjects: readonly { readonly subject: string; readonly resources: readonly string[] }[];
  } | null;
  /** For every connection to the issuer. */
  readonly addresses: AddressPolicy;
  readonly allowsHttp: boolean;
}

export type UpstreamPlan = OidcUpstreamPlan | OAuth2UpstreamPlan;

interface UpstreamCommon {
  readonly name: string;
  /** Null for a client that registers itself. */
  readonly clientId: string | null;
  /** Null for a public client. */
  readonly clientSecret: SecretSource | null;
  /** Where the upstream sends people back to. */
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Further parameters of the authorization request. */
  readonly authorizationParams: { readonly [name: string]: string };
  readonly userInfo: UserInfoPlan | null;
  /** For every connection to the upstream. */
  readonly addresses: AddressPolicy;
  readonly allowsHttp: boolean;
}

/** OpenID Connect: its endpoints are discovered. */
export interface OidcUpstreamPlan extends UpstreamCommon {
  readonly type: 'oidc';
  readonly issuer: string;
  /** Claim of the ID token that says who signed in. */
  readonly subjectClaim: string;
}

/** How the gateway registers at an upstream (RFC 7591). One of the first two is there. */
export interface UpstreamRegistrationPlan {
  /** The URL of the metadata that names the endpoint. */
  readonly discoveryUrl: string | null;
  readonly endpoint: string | null;
  /** What allows to register. */
  readonly initialAccessToken: SecretSource | null;
  readonly softwareId: string | null;
  /** A JWT by which others vouch for the software. */
  readonly softwareStatement: string | null;
}

/** OAuth 2 alone: its endpoints are written out. */
export interface OAuth2UpstreamPlan extends UpstreamCommon {
  readonly type: 'oauth2';
  /** Null where the client is registered by hand. */
  readonly registration: UpstreamRegistrationPlan | null;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Where the token response says who signed in; wins over `userInfo`. */
  readonly identityFromToken: {
    readonly subjectPath: string;
    readonly namePath: string | null;
    readonly emailPath: string | null;
  } | null;
  /** Where the parts of a token response are that does not follow OAuth. */
  readonly tokenResponse: {
    readonly accessTokenPath: string;
    readonly refreshTokenPath: string;
    readonly expiresInPath: string;
    readonly scopePath: string;
  } | null;
}

/** A call that asks the upstream who signed in. The first field that is not empty counts. */
export interface UserInfoPlan {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: { readonly [name: string]: string };
  readonly subjectFields: readonly string[];
  readonly nameFields: readonly string[];
  readonly emailFields: readonly string[];
}

/** What `/oauth/authorize` and the others are below the issuer, and clients and upstreams know. */
export const AUTH_SERVER_PATHS = {
  authorize: '/oauth/authorize',
  callback: '/oauth/callback',
  token: '/oauth/token',
  register: '/oauth/register',
  signIn: '/oauth/sign-in',
  jwks: '/.well-known/jwks.json',
} as const;
