import { Construct } from 'constructs';
import { configObject } from '../config-object.ts';
import { checkProps, NAMING, type PropNames } from '../known-props.ts';
import { captureCall } from '../origins.ts';
import type { NamingProps } from '../resource.ts';
import type { CaBundle } from '../values/ca-bundle.ts';
import type { OAuthClient } from '../values/oauth-client.ts';
import type { AbsolutePath } from '../values/path.ts';
import type { HttpsUrl, HttpUrl } from '../values/url.ts';
import type { Incoming } from './incoming.ts';
import { type OidcAudience, oidcAudience } from './oidc-audience.ts';

/** Introspection of tokens that are not JWTs (RFC 7662). */
export interface Introspection<U extends string = HttpsUrl> {
  readonly url: U;
  /** The OAuth client as which the gateway authenticates at this endpoint; without it, requests are unauthenticated. */
  readonly client?: OAuthClient;
}

interface IssuerSettings<U extends string> extends NamingProps {
  /** Issuer whose tokens are accepted: `iss` must equal it. */
  readonly issuer: U;
  /** URL of the key set. Default: found by OpenID discovery. */
  readonly jwksUrl?: U;
  /** How tokens that are not JWTs are introspected. Without it, only JWTs are accepted. */
  readonly introspection?: Introspection<U>;
  /** Certificate authorities for the issuer and its key set, replacing the defaults. */
  readonly caBundle?: CaBundle;
  /** File whose content is sent as bearer token when the key set is fetched. */
  readonly jwksAuthTokenPath?: AbsolutePath;
  /** Allows a key set at a private address. Default: false. */
  readonly jwksAllowPrivateIP?: boolean;
}

/** An issuer over https. */
export interface SecureIssuerProps extends IssuerSettings<HttpsUrl> {
  /** Allows an issuer over plain http. Default: false. */
  readonly insecureAllowHTTP?: false;
}

/** An issuer over plain http, whose keys can be forged on the way: for development only. */
export interface InsecureIssuerProps extends IssuerSettings<HttpsUrl | HttpUrl> {
  /** Allows plain http: anyone on the network path may forge keys and tokens. */
  readonly insecureAllowHTTP: true;
}

/** An inline description of an issuer; plain http only with `insecureAllowHTTP: true`. */
export type OidcProps = SecureIssuerProps | InsecureIssuerProps;

/** Tokens of Kubernetes service accounts. */
export interface ServiceAccountProps extends NamingProps {
  /** The issuer of the tokens. Default: `https://kubernetes.default.svc`. */
  readonly issuer?: HttpsUrl;
  /** URL of the key set. Default: found by OpenID discovery. */
  readonly jwksUrl?: HttpsUrl;
  readonly introspectionUrl?: HttpsUrl;
  /** Reaches the API server with the pod's own certificate authority and token. Default: true. */
  readonly useClusterAuth?: boolean;
}

const ISSUER: PropNames<OidcProps> = {
  ...NAMING,
  issuer: true,
  jwksUrl: true,
  introspection: true,
  caBundle: true,
  jwksAuthTokenPath: true,
  jwksAllowPrivateIP: true,
  insecureAllowHTTP: true,
};

const SERVICE_ACCOUNTS: PropNames<ServiceAccountProps> = {
  ...NAMING,
  issuer: true,
  jwksUrl: true,
  introspectionUrl: true,
  useClusterAuth: true,
};

/** A token issuer to trust, declared in the program or elsewhere. */
export interface OidcIssuer {
  /** Name of the MCPOIDCConfig. */
  readonly name: string;
  /**
   * Admits callers to one gateway that have a token of this issuer for the audience.
   *
   * @param audience `aud` of a token must contain it. Use a different audience for each gateway: a token is valid at every gateway with its
   * audience.
   */
  forAudience(audience: string, props?: OidcAudience): Incoming;
}

/**
 * A token issuer to trust (`MCPOIDCConfig`), shared by the gateways that accept its tokens, each for an audience of its own.
 *
 * @example
 * const corp = Oidc.inline(this, 'corp', { issuer: 'https://id.corp.example' });
 * new Gateway(this, 'eng', { group, incoming: corp.forAudience('eng-gateway', { resourceUrl: 'https://mcp.corp.example/mcp' }) });
 */
export class Oidc extends Construct implements OidcIssuer {
  readonly name: string;

  private constructor(scope: Construct, id: string, props: NamingProps) {
    super(scope, id);
    this.name = props.name ?? id;
  }

  /**
   * Issuer that is described in this object.
   *
   * @example
   * Oidc.inline(this, 'corp', {
   *   issuer: 'https://id.corp.example',
   *   introspection: {
   *     url: 'https://id.corp.example/introspect',
   *     client: { id: 'gateway', secret: Secret.key('corp-oidc', 'client-secret') },
   *   },
   * });
   */
  static inline(scope: Construct, id: string, props: OidcProps): Oidc {
    checkProps('Oidc.inline', props, ISSUER);
    const { issuer, jwksUrl, introspection, caBundle, jwksAuthTokenPath, jwksAllowPrivateIP, insecureAllowHTTP } =
      props;
    const oidc = new Oidc(scope, id, props);
    const inline = {
      issuer,
      jwksUrl,
      introspectionUrl: introspection?.url,
      clientId: introspection?.client?.id,
      clientSecretRef: introspection?.client?.secret,
      caBundleRef: caBundle,
      jwksAuthTokenPath,
      jwksAllowPrivateIP,
      insecureAllowHTTP,
    };
    configObject(oidc, 'MCPOIDCConfig', props, { type: 'inline', inline }, captureCall(Oidc.inline), {
      '/spec/inline': [2],
      '/spec/inline/introspectionUrl': [2, 'introspection', 'url'],
      '/spec/inline/clientId': [2, 'introspection', 'client', 'id'],
      '/spec/inline/clientSecretRef': [2, 'introspection', 'client', 'secret'],
      '/spec/inline/caBundleRef': [2, 'caBundle'],
    });
    return oidc;
  }

  /**
   * Tokens of Kubernetes service accounts, for callers that are workloads of the cluster.
   *
   * @example
   * const cluster = Oidc.serviceAccounts(this, 'cluster');
   * new Gateway(this, 'jobs', { group, incoming: cluster.forAudience('jobs-gateway') });
   */
  static serviceAccounts(scope: Construct, id: string, props: ServiceAccountProps = {}): Oidc {
    checkProps('Oidc.serviceAccounts', props, SERVICE_ACCOUNTS);
    const { issuer, jwksUrl, introspectionUrl, useClusterAuth } = props;
    const oidc = new Oidc(scope, id, props);
    const kubernetesServiceAccount = { issuer, jwksUrl, introspectionUrl, useClusterAuth };
    const spec = { type: 'kubernetesServiceAccount', kubernetesServiceAccount };
    configObject(oidc, 'MCPOIDCConfig', props, spec, captureCall(Oidc.serviceAccounts), {
      '/spec/kubernetesServiceAccount': [2],
    });
    return oidc;
  }

  /**
   * An MCPOIDCConfig that is declared elsewhere, such as in YAML.
   *
   * @example
   * new Gateway(this, 'eng', { group, incoming: Oidc.existing('corp').forAudience('eng-gateway') });
   */
  static existing(name: string): OidcIssuer {
    const named = captureCall(Oidc.existing).at(0);
    const forAudience = (audience: string, props: OidcAudience = {}): Incoming =>
      oidcAudience(name, named, audience, props, captureCall(forAudience));
    return { name, forAudience };
  }

  forAudience(audience: string, props: OidcAudience = {}): Incoming {
    return oidcAudience(this.name, undefined, audience, props, captureCall(Oidc.prototype.forAudience));
  }
}
