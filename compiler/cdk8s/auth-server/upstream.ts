import type { VirtualMCPServerSpec } from '#schemas';
import { type Call, captureCall } from '../origins.ts';
import type { RenderedPart } from '../rendered.ts';
import { toManifestValue, type WithSecretKeys } from '../values/manifest-value.ts';
import type { SecretKey } from '../values/secret.ts';
import type { HttpsUrl, HttpUrl, SafeUrl } from '../values/url.ts';

type UpstreamSpec = NonNullable<VirtualMCPServerSpec['authServerConfig']>['upstreamProviders'][number];
type WrittenOidc = NonNullable<UpstreamSpec['oidcConfig']>;
type WrittenOAuth2 = NonNullable<UpstreamSpec['oauth2Config']>;

/** Parameters of the authorization request that the protocol itself sets. */
type ReservedParameter =
  | 'response_type'
  | 'client_id'
  | 'redirect_uri'
  | 'scope'
  | 'state'
  | 'code_challenge'
  | 'code_challenge_method'
  | 'nonce';

/** Extra parameters of the authorization request, at most 16; never those that the protocol itself sets. */
export type AuthorizationParameters = { readonly [name: string]: string } & {
  readonly [R in ReservedParameter]?: never;
};

interface CommonUpstreamProps {
  /** Where the upstream redirects people. Default: `{resourceUrl}/oauth/callback`. */
  readonly redirectUri?: SafeUrl;
  readonly additionalAuthorizationParams?: AuthorizationParameters;
}

/** An upstream that speaks OpenID Connect. */
export interface OidcUpstreamProps extends CommonUpstreamProps, Pick<WrittenOidc, 'subjectClaim' | 'userInfoOverride'> {
  /** The issuer of the upstream. Its metadata names all endpoints. */
  readonly issuer: HttpsUrl;
  readonly client: UpstreamClient;
  /** Requested scopes. Default: `openid` and `offline_access`. */
  readonly scopes?: readonly string[];
}

/** The OAuth client as which the gateway appears at the upstream. */
export interface UpstreamClient {
  readonly id: string;
  /** The secret of the client. Without it, the client is a public one with PKCE. */
  readonly secret?: SecretKey;
}

type Registration = WithSecretKeys<
  Pick<NonNullable<WrittenOAuth2['dcrConfig']>, 'initialAccessTokenRef' | 'softwareId' | 'softwareStatement'>
>;

/**
 * A preregistered client, or one that registers itself when the server starts (RFC 7591): at the endpoint in the metadata, or at a fixed
 * endpoint. With a fixed endpoint the scopes must be given, since no metadata lists them.
 */
export type UpstreamRegistration =
  | { readonly client: UpstreamClient; readonly registration?: never; readonly scopes?: readonly string[] }
  | {
      readonly client?: never;
      readonly registration: Registration & { readonly discoveryUrl: HttpsUrl; readonly registrationEndpoint?: never };
      readonly scopes?: readonly string[];
    }
  | {
      readonly client?: never;
      readonly registration: Registration & { readonly registrationEndpoint: HttpsUrl; readonly discoveryUrl?: never };
      readonly scopes: readonly [string, ...string[]];
    };

/**
 * The endpoint that people are redirected to, and the endpoint that exchanges codes for tokens. Over plain http beyond this machine only with
 * `insecureAllowHTTP: true`.
 */
export type UpstreamEndpoints =
  | { readonly authorizationEndpoint: SafeUrl; readonly tokenEndpoint: SafeUrl; readonly insecureAllowHTTP?: false }
  | {
      readonly authorizationEndpoint: HttpsUrl | HttpUrl;
      readonly tokenEndpoint: HttpsUrl | HttpUrl;
      /** Allows plain http: anyone on the network path may read codes and tokens. */
      readonly insecureAllowHTTP: true;
    };

/** An upstream that speaks OAuth 2 without OpenID Connect. */
export type OAuth2UpstreamProps = CommonUpstreamProps &
  UpstreamEndpoints &
  UpstreamRegistration &
  Pick<WrittenOAuth2, 'userInfo' | 'identityFromToken' | 'tokenResponseMapping' | 'allowPrivateIPs'>;

/**
 * An identity provider through which people sign in to an {@link AuthServer}.
 *
 * @example
 * Upstream.oidc('okta', { issuer: 'https://okta.example.com', client: { id: 'gateway', secret: Secret.key('okta', 'secret') } });
 */
export class Upstream {
  /** The name by which other fields refer to the upstream. */
  readonly name: string;
  readonly #value: object;
  readonly #call: Call;
  readonly #block: 'oidcConfig' | 'oauth2Config';

  private constructor(name: string, block: 'oidcConfig' | 'oauth2Config', value: object, call: Call) {
    if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
      throw new Error(
        `"${name}" is not a valid name of an upstream: use lower-case letters, digits and hyphens, at most 63`,
      );
    this.name = name;
    this.#block = block;
    this.#value = value;
    this.#call = call;
  }

  /**
   * An upstream that speaks OpenID Connect.
   *
   * @example
   * Upstream.oidc('okta', { issuer: 'https://okta.example.com', client: { id: 'gateway' } });
   */
  static oidc(name: string, props: OidcUpstreamProps): Upstream {
    const { issuer: issuerUrl, client, ...rest } = props;
    const value = { issuerUrl, clientId: client.id, clientSecretRef: client.secret, ...rest };
    return new Upstream(name, 'oidcConfig', value, captureCall(Upstream.oidc));
  }

  /**
   * An upstream that speaks OAuth 2 without OpenID Connect.
   *
   * @example
   * Upstream.oauth2('github', {
   *   authorizationEndpoint: 'https://github.com/login/oauth/authorize',
   *   tokenEndpoint: 'https://github.com/login/oauth/access_token',
   *   client: { id: 'gateway', secret: Secret.key('github', 'client-secret') },
   *   userInfo: { endpointUrl: 'https://api.github.com/user', fieldMapping: { subjectFields: ['id'] } },
   * });
   */
  static oauth2(name: string, props: OAuth2UpstreamProps): Upstream {
    const { client, registration: dcrConfig, ...rest } = props;
    const value = { ...rest, clientId: client?.id, clientSecretRef: client?.secret, dcrConfig };
    return new Upstream(name, 'oauth2Config', value, captureCall(Upstream.oauth2));
  }

  /** Renders the settings for the authorization server that uses the upstream. */
  render(): RenderedPart {
    const block = this.#block;
    const at = (field: string, ...path: string[]) => ({
      pointer: `/${block}/${field}`,
      callSite: this.#call.at(1, ...path),
    });
    return {
      value: toManifestValue({
        name: this.name,
        type: block === 'oidcConfig' ? 'oidc' : 'oauth2',
        [block]: this.#value,
      }) as object,
      origins: [
        { pointer: '', callSite: this.#call.at() },
        { pointer: '/name', callSite: this.#call.at(0) },
        { pointer: `/${block}`, callSite: this.#call.at(1) },
        ...(block === 'oidcConfig' ? [at('issuerUrl', 'issuer')] : [at('dcrConfig', 'registration')]),
        at('clientId', 'client', 'id'),
        at('clientSecretRef', 'client', 'secret'),
      ],
    };
  }
}
