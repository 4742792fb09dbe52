import { Construct } from 'constructs';
import type { VirtualMCPServerSpec } from '#schemas';
import { configObject } from '../config-object.ts';
import type { GroupClaims } from '../incoming-auth/group-claims.ts';
import { groupClaims } from '../incoming-auth/group-claims.ts';
import type { Incoming, ReferringParts } from '../incoming-auth/incoming.ts';
import { type Call, captureCall } from '../origins.ts';
import type { NamingProps } from '../resource.ts';
import { toManifestValue, type WithSecretKeys } from '../values/manifest-value.ts';
import type { SecretKey } from '../values/secret.ts';
import type { HttpsUrl, HttpUrl, LoopbackUrl, SafeUrl } from '../values/url.ts';
import { type AuthServerStorage, storageBlock } from './storage.ts';
import type { Upstream } from './upstream.ts';

type AuthServerSpec = NonNullable<VirtualMCPServerSpec['authServerConfig']>;

/** Confidential clients: they get a secret when they register. */
export interface ConfidentialClients {
  /** Exact redirect URIs whose clients always get a secret, even when they do not ask for one. */
  readonly forceRedirectUris?: readonly HttpsUrl[];
}

interface CommonAuthServerProps
  extends NamingProps,
    Pick<
      AuthServerSpec,
      'tokenLifespans' | 'disableUpstreamTokenInjection' | 'baselineClientScopes' | 'trustedIssuers' | 'cimd'
    > {
  /** Public URL of the gateway: the resource that tokens are issued for, and the audience that callers need. */
  readonly resourceUrl: SafeUrl;
  /** Identity providers at which users sign in. The first is the default. */
  readonly upstreams: readonly [Upstream, ...Upstream[]];
  /** The upstream whose claims policies read. Default: the first. */
  readonly primary?: Upstream;
  /** Scopes that the metadata of the gateway tells clients to ask for. Default: `openid`. */
  readonly scopes?: readonly string[];
  /** Base URL that browsers use for `/oauth/authorize`, when it differs from the issuer. */
  readonly authorizationEndpointBaseUrl?: SafeUrl;
  /** Private keys, at most 5: the first signs, the others only verify. Without a key, a restart invalidates all tokens. */
  readonly signingKeys?: readonly SecretKey[];
  /** Secrets of at least 32 bytes for codes and refresh tokens: the first is used, the others only verify. */
  readonly hmacSecrets?: readonly SecretKey[];
  /** Where clients, codes and tokens are stored. Default: `memory`. */
  readonly storage?: AuthServerStorage;
  /** Which claims contain the groups of a caller. */
  readonly groups?: GroupClaims;
}

/**
 * The issuer of an authorization server. If it uses plain http beyond this machine, the type forbids client secrets, which could be read on the
 * network.
 */
export type AuthServerIssuer =
  | {
      /** Issuer of the tokens, without a slash at its end. */
      readonly issuer: HttpsUrl;
      /** Allows an issuer over plain http beyond this machine. Default: false. */
      readonly insecureAllowHTTP?: false;
      readonly confidentialClients?: ConfidentialClients;
      /** Clients registered in advance for token exchange, at most 10. */
      readonly delegateClients?: WithSecretKeys<NonNullable<AuthServerSpec['delegateClients']>>;
    }
  | {
      readonly issuer: LoopbackUrl;
      /** Allows an issuer over plain http beyond this machine. Default: false. */
      readonly insecureAllowHTTP?: false;
      readonly confidentialClients?: ConfidentialClients & { readonly insecureOverLoopback: true };
      readonly delegateClients?: never;
    }
  | {
      readonly issuer: HttpUrl;
      /** Allows plain http: anyone on the network path may read codes and tokens. */
      readonly insecureAllowHTTP: true;
      readonly confidentialClients?: never;
      readonly delegateClients?: never;
    };

/** An OAuth authorization server inside of the gateway. */
export type AuthServerProps = CommonAuthServerProps & AuthServerIssuer;

/**
 * An OAuth authorization server inside of the gateway: people sign in through upstreams, the server issues its own tokens, and the
 * gateway accepts exactly those. Makes the MCPOIDCConfig of its issuer. For one gateway only.
 *
 * @example
 * const signIn = new AuthServer(this, 'sign-in', {
 *   issuer: 'https://auth.corp.example',
 *   resourceUrl: 'https://mcp.corp.example',
 *   upstreams: [Upstream.oidc('okta', { issuer: 'https://okta.example.com', client: { id: 'gateway' } })],
 *   signingKeys: [Secret.key('sign-in', 'key.pem')],
 *   hmacSecrets: [Secret.key('sign-in', 'hmac')],
 * });
 * new Gateway(this, 'eng', { group, incoming: signIn });
 */
export class AuthServer extends Construct implements Incoming {
  readonly knowsCallers = true;
  /** Name of the MCPOIDCConfig. */
  readonly name: string;
  readonly #props: AuthServerProps;
  readonly #call: Call;

  /** @throws Error when the primary upstream is not among the upstreams, and when two have the same name */
  constructor(scope: Construct, id: string, props: AuthServerProps) {
    super(scope, id);
    const call = captureCall(AuthServer);
    const { issuer, upstreams, primary } = props;
    const names = upstreams.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) throw new Error(`two upstreams are named "${twice}": rename one of them`);
    if (primary !== undefined && !upstreams.includes(primary))
      throw new Error(`the primary upstream "${primary.name}" is none of the upstreams: ${names.join(', ')}`);
    this.name = props.name ?? id;
    this.#props = props;
    this.#call = call;
    const inline = { issuer, insecureAllowHTTP: issuer.startsWith('http:') || undefined };
    configObject(this, 'MCPOIDCConfig', props, { type: 'inline', inline }, call, {
      '/spec/inline/issuer': [2, 'issuer'],
    });
  }

  /** Renders the settings of the authorization server for the gateway that contains it. */
  bind(): ReferringParts {
    const { name } = this;
    const { resourceUrl, scopes, groups } = this.#props;
    const call = this.#call;
    const at = '/spec/incomingAuth/oidcConfigRef';
    const upstreams = this.#props.upstreams.map(upstream => upstream.render());
    const server = '/spec/authServerConfig';
    const renamed: [string, string][] = [
      ['signingKeySecretRefs', 'signingKeys'],
      ['hmacSecretRefs', 'hmacSecrets'],
      ['upstreamProviders', 'upstreams'],
      ['primaryUpstreamProvider', 'primary'],
      ['allowConfidentialClientRegistration', 'confidentialClients'],
    ];
    return {
      incomingAuth: {
        type: 'oidc',
        oidcConfigRef: { name, audience: resourceUrl, resourceUrl, ...(scopes === undefined ? {} : { scopes }) },
      },
      authServerConfig: serverBlock(
        this.#props,
        upstreams.map(({ value }) => value),
      ),
      ...groupClaims(groups),
      origins: [
        { pointer: '/spec/incomingAuth', callSite: call.at(2) },
        { pointer: at, callSite: call.at(2) },
        { pointer: `${at}/audience`, callSite: call.at(2, 'resourceUrl') },
        { pointer: server, callSite: call.at(2) },
        ...renamed.map(([field, prop]) => ({ pointer: `${server}/${field}`, callSite: call.at(2, prop) })),
        ...upstreams.flatMap(({ origins }, index) =>
          origins.map(({ pointer, callSite }) => ({
            pointer: `${server}/upstreamProviders/${index}${pointer}`,
            callSite,
          })),
        ),
      ],
    };
  }
}

function serverBlock(props: AuthServerProps, upstreamProviders: readonly object[]): AuthServerSpec {
  const { issuer, authorizationEndpointBaseUrl, tokenLifespans, primary, storage, confidentialClients } = props;
  const { disableUpstreamTokenInjection, insecureAllowHTTP, baselineClientScopes, delegateClients } = props;
  const { trustedIssuers, cimd, signingKeys, hmacSecrets } = props;
  return toManifestValue({
    issuer,
    authorizationEndpointBaseUrl,
    signingKeySecretRefs: signingKeys,
    hmacSecretRefs: hmacSecrets,
    tokenLifespans,
    upstreamProviders,
    primaryUpstreamProvider: primary?.name,
    storage: storage && storageBlock(storage),
    disableUpstreamTokenInjection,
    insecureAllowHTTP,
    baselineClientScopes,
    allowConfidentialClientRegistration: confidentialClients && true,
    insecureAllowConfidentialOverLoopbackHTTP:
      confidentialClients && 'insecureOverLoopback' in confidentialClients ? true : undefined,
    forceConfidentialRedirectUris: confidentialClients?.forceRedirectUris,
    delegateClients,
    trustedIssuers,
    cimd,
  }) as AuthServerSpec;
}
