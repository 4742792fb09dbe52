import type { ConfigIncomingAuth } from '#schemas';
import { captureCall } from '../origins.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { AbsolutePath } from '../values/path.ts';
import type { HttpsUrl, HttpUrl, SafeUrl } from '../values/url.ts';
import { type GroupClaims, groupClaims } from './group-claims.ts';
import type { Incoming } from './incoming.ts';

interface WrittenSettings<U extends string> {
  /** Issuer whose tokens are accepted: `iss` must equal it. */
  readonly issuer: U;
  /** The audience of the tokens, which `aud` of a token must contain. Use a different audience for each gateway. */
  readonly audience: string;
  /** Client identifier of the gateway at the issuer. */
  readonly clientId: string;
  /** Public URL of the gateway, for its protected-resource metadata. Default: the audience if that is a URL. */
  readonly resource?: SafeUrl;
  /** Scopes that a token must have, all of them. */
  readonly requiredScopes?: readonly string[];
  /** URL of the key set. Default: found by OpenID discovery. */
  readonly jwksUrl?: U;
  /** Introspection of tokens that are not JWTs (RFC 7662). */
  readonly introspection?: {
    readonly url: U;
    /** Name of the environment variable that holds the client secret. */
    readonly clientSecretEnv?: string;
  };
  /** Allows a key set at a private address. Default: false. */
  readonly jwksAllowPrivateIp?: boolean;
  /** PEM file with certificate authorities for the issuer and its key set, replacing the defaults. */
  readonly caBundlePath?: AbsolutePath;
  /** Which claims contain the groups of a caller. */
  readonly groups?: GroupClaims;
}

/** An issuer that is written inline in the gateway; plain http only with `insecureAllowHttp: true`. */
export type WrittenOidcProps =
  | (WrittenSettings<HttpsUrl> & { readonly insecureAllowHttp?: false })
  | (WrittenSettings<HttpsUrl | HttpUrl> & { readonly insecureAllowHttp: true });

/**
 * An issuer that is written inline in the gateway, for gateways outside of a cluster. Unlike {@link Oidc} it can require scopes.
 *
 * @example
 * new Gateway(this, 'eng', {
 *   group,
 *   incoming: Incoming.oidc({
 *     issuer: 'https://id.corp.example',
 *     audience: 'eng-gateway',
 *     clientId: 'eng-gateway',
 *     requiredScopes: ['mcp:use'],
 *   }),
 * });
 */
export function writtenOidc(props: WrittenOidcProps): Incoming {
  const call = captureCall(writtenOidc);
  if (props.audience === '') throw new Error('the audience is empty: no token could be for this gateway');
  const { groups, requiredScopes: scopes, introspection, ...rest } = props;
  const { url: introspectionUrl, clientSecretEnv } = introspection ?? {};
  const oidc = toManifestValue({
    ...rest,
    scopes,
    introspectionUrl,
    clientSecretEnv,
  }) as Required<ConfigIncomingAuth>['oidc'];
  const at = '/spec/config/incomingAuth/oidc';
  return {
    knowsCallers: true,
    bind: () => ({
      configIncomingAuth: { type: 'oidc', oidc },
      ...groupClaims(groups),
      origins: [
        { pointer: '/spec/config/incomingAuth', callSite: call.at(0) },
        { pointer: at, callSite: call.at(0) },
        { pointer: `${at}/scopes`, callSite: call.at(0, 'requiredScopes') },
        { pointer: `${at}/introspectionUrl`, callSite: call.at(0, 'introspection', 'url') },
        { pointer: `${at}/clientSecretEnv`, callSite: call.at(0, 'introspection', 'clientSecretEnv') },
      ],
    }),
  };
}
