import type { ConfigIncomingAuth } from '#schemas';
import type { Incoming } from '../incoming.ts';
import { captureCall } from '../origins.ts';
import type { AbsolutePath } from '../values/path.ts';
import type { HttpsUrl, HttpUrl, SafeUrl } from '../values/url.ts';
import { toManifestValue } from '../values/written.ts';
import { type GroupClaims, groupClaims } from './group-claims.ts';

interface WrittenSettings<U extends string> {
  /** Issuer whose tokens are accepted: `iss` must equal it. */
  readonly issuer: U;
  /** `aud` of a token must name it. Give every gateway its own. */
  readonly audience: string;
  /** Client identifier of the gateway at the issuer. */
  readonly clientId: string;
  /** Public URL of the gateway, for its protected-resource metadata. Default: the audience if it is a URL. */
  readonly resource?: SafeUrl;
  /** Scopes that a token must carry, all of them. */
  readonly requiredScopes?: readonly string[];
  /** URL of the key set. Default: found by OpenID discovery. */
  readonly jwksUrl?: U;
  /** Asking the issuer about tokens that are no JWTs (RFC 7662). */
  readonly introspection?: {
    readonly url: U;
    /** Name of the environment variable that holds the client secret. */
    readonly clientSecretEnv?: string;
  };
  /** Permits a key set on a private address. Default: false. */
  readonly jwksAllowPrivateIp?: boolean;
  /** PEM file with authorities to trust for the issuer and its key set, in place of the usual ones. */
  readonly caBundlePath?: AbsolutePath;
  /** Which claims say to which groups a caller belongs. */
  readonly groups?: GroupClaims;
}

/** An issuer that is written out in the gateway itself; plain http only with `insecureAllowHttp: true`. */
export type WrittenOidcProps =
  | (WrittenSettings<HttpsUrl> & { readonly insecureAllowHttp?: false })
  | (WrittenSettings<HttpsUrl | HttpUrl> & { readonly insecureAllowHttp: true });

/**
 * An issuer that is written out in the gateway itself, for gateways that run outside of a cluster. Unlike {@link Oidc} it can
 * demand scopes.
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
        { pointer: '/spec/config/incomingAuth', given: call.at(0) },
        { pointer: at, given: call.at(0) },
        { pointer: `${at}/scopes`, given: call.at(0, 'requiredScopes') },
        { pointer: `${at}/introspectionUrl`, given: call.at(0, 'introspection', 'url') },
        { pointer: `${at}/clientSecretEnv`, given: call.at(0, 'introspection', 'clientSecretEnv') },
      ],
    }),
  };
}
