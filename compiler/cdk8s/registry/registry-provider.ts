import { type Call, captureCall } from '../origins.ts';
import type { RenderedPart } from '../rendered.ts';
import { toManifestValue } from '../values/manifest-value.ts';
import type { HttpsUrl, SafeUrl } from '../values/url.ts';
import { type CaFile, type RegistryPart, type SecretFile, ServerFile, type ToPath } from './server-file.ts';

/** An identity provider over https. */
export interface OidcProviderProps {
  /** The issuer of the tokens. `iss` of a token must equal it byte for byte, a trailing slash included. */
  readonly issuer: SafeUrl;
  /** The audience of the tokens, which `aud` of a token must contain. */
  readonly audience: string;
  /** URL of the key set. Default: found by OpenID discovery. */
  readonly jwksUrl?: SafeUrl;
  /** Endpoint for introspecting tokens that are not JWTs (RFC 7662); without it only JWTs are accepted. */
  readonly introspection?: {
    readonly url: SafeUrl;
    /** The OAuth client as which the server authenticates there; without a secret, a public client that only sends its id. */
    readonly client?: { readonly id: string; readonly secret?: SecretFile };
  };
  /** Certificate authorities that replace the defaults. */
  readonly ca?: CaFile;
  /** Bearer token for fetching keys, and for introspection without a client. */
  readonly authToken?: SecretFile;
  /** Whether the provider may have a private address. Default: false. */
  readonly allowPrivateIP?: boolean;
}

/** The API of the cluster that the server runs in: tokens of service accounts. */
export interface ClusterProviderProps {
  /** The audience that callers request for their tokens. Never use that of the cluster's API, which every pod's token has. */
  readonly audience: string;
  /** `iss` of the tokens. Default: `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer?: HttpsUrl;
}

const CLUSTER = 'https://kubernetes.default.svc.cluster.local';
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * An identity provider whose tokens a registry server accepts.
 *
 * @example
 * RegistryAuth.oauth({
 *   resourceUrl: 'https://mcp-registry.example.com',
 *   providers: [RegistryProvider.oidc('company', { issuer: 'https://login.example.com', audience: 'mcp-registry' })],
 * });
 */
export class RegistryProvider implements RegistryPart {
  /** The name of the provider in logs and metrics. */
  readonly name: string;
  readonly #props: OidcProviderProps;
  readonly #call: Call;

  private constructor(name: string, props: OidcProviderProps, call: Call) {
    if (name === '') throw new Error('the provider has no name, and logs would not tell which one it is');
    this.name = name;
    this.#props = props;
    this.#call = call;
  }

  /**
   * An OAuth or OpenID Connect provider.
   *
   * @example
   * RegistryProvider.oidc('company', {
   *   issuer: 'https://login.example.com/realms/example',
   *   audience: 'https://mcp-registry.example.com',
   *   introspection: {
   *     url: 'https://login.example.com/realms/example/introspect',
   *     client: { id: 'mcp-registry', secret: Secret.key('registry', 'client-secret') },
   *   },
   * });
   */
  static oidc(name: string, props: OidcProviderProps): RegistryProvider {
    return new RegistryProvider(name, props, captureCall(RegistryProvider.oidc));
  }

  /**
   * The API of the cluster that the server runs in: workloads call with projected tokens of their service accounts. The server calls it with the
   * token and the certificate authorities that every pod has.
   *
   * @example
   * RegistryProvider.cluster('cluster', { audience: 'mcp-registry' });
   */
  static cluster(name: string, { audience, issuer = CLUSTER }: ClusterProviderProps): RegistryProvider {
    const settings: OidcProviderProps = {
      issuer,
      audience,
      jwksUrl: `${CLUSTER}/openid/v1/jwks`,
      ca: ServerFile.at(`${SERVICE_ACCOUNT}/ca.crt`),
      authToken: ServerFile.at(`${SERVICE_ACCOUNT}/token`),
      allowPrivateIP: true,
    };
    return new RegistryProvider(name, settings, captureCall(RegistryProvider.cluster));
  }

  /** Renders the settings for the registry. */
  render(toPath: ToPath): RenderedPart {
    const { issuer, audience, jwksUrl, introspection, ca, authToken, allowPrivateIP } = this.#props;
    const client = introspection?.client;
    const value = toManifestValue({
      name: this.name,
      issuerUrl: issuer,
      audience,
      jwksUrl,
      introspectionUrl: introspection?.url,
      clientId: client?.id,
      clientSecretFile: client?.secret && toPath(client.secret),
      caCertPath: ca && toPath(ca),
      authTokenFile: authToken && toPath(authToken),
      allowPrivateIP,
    }) as object;
    const at = (pointer: string, ...path: string[]) => ({ pointer, callSite: this.#call.at(1, ...path) });
    return {
      value,
      origins: [
        at(''),
        { pointer: '/name', callSite: this.#call.at(0) },
        at('/issuerUrl', 'issuer'),
        at('/introspectionUrl', 'introspection', 'url'),
        at('/clientId', 'introspection', 'client', 'id'),
        at('/clientSecretFile', 'introspection', 'client', 'secret'),
        at('/caCertPath', 'ca'),
        at('/authTokenFile', 'authToken'),
      ],
    };
  }
}
