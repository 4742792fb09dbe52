/** A gateway that is its own issuer, with a backend that reports the credential that it received. */
import { createLogger, type Logger } from '#runtime';
import type {
  AuthorizationPlan,
  AuthServerPlan,
  IncomingAuthPlan,
  OutgoingAuthPlan,
  TokenProviderPlan,
  UpstreamPlan,
} from '#schemas';
import { type BundleOptions, backendPlan, startGateway, type TestGateway } from '../../support/gateway.ts';
import { freeOwnPort } from '../../support/own-port.ts';

export interface IssuingGateway extends TestGateway {
  readonly origin: string;
  readonly issuer: string;
  /** Replaces the bundle by one with other settings of the authorization server. */
  change(change: Partial<AuthServerPlan>): Promise<void>;
}

export interface IssuingOptions {
  readonly upstreams: (callback: string) => readonly UpstreamPlan[];
  readonly plan?: Partial<AuthServerPlan>;
  /** The path that is appended to the origin to form the issuer. */
  readonly issuerPath?: string;
  readonly backend?: string;
  readonly auth?: OutgoingAuthPlan;
  /** The policies; by default none. */
  readonly authorization?: AuthorizationPlan;
  readonly port?: number;
  /** The gateway's own port, if another server has the issuer's port. */
  readonly listensAt?: number;
  /** Name of the gateway. */
  readonly name?: string;
  readonly log?: Logger;
  /** The introspection endpoint for opaque tokens. By default none. */
  readonly introspection?: TokenProviderPlan['introspection'];
}

/** A port for a gateway, so that its redirect URI can be registered at upstreams. */
export const issuingPort = freeOwnPort;

export async function startIssuingGateway(options: IssuingOptions): Promise<IssuingGateway> {
  const port = options.port ?? (await freeOwnPort());
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}${options.issuerPath ?? ''}`;
  const plan = authServerPlan(issuer, origin, {
    upstreams: options.upstreams(`${origin}/oauth/callback`),
    ...options.plan,
  });
  const bundle = (authServer: AuthServerPlan): BundleOptions => ({
    backends:
      options.backend === undefined
        ? []
        : [backendPlan('tell', options.backend, { auth: options.auth ?? { type: 'unauthenticated' } })],
    incomingAuth: ownTokens(issuer, origin, options.introspection ?? null),
    authServer,
    ...(options.authorization === undefined ? {} : { authorization: options.authorization }),
    port: options.listensAt ?? port,
    ...(options.name === undefined ? {} : { name: options.name }),
  });
  const gateway = await startGateway(bundle(plan), options.log ?? createLogger('silent'));
  return { ...gateway, origin, issuer, change: change => gateway.replace(bundle({ ...plan, ...change })) };
}

/** A plan in which every field has its default. */
export function authServerPlan(
  issuer: string,
  resource: string,
  more: Pick<AuthServerPlan, 'upstreams'> & Partial<AuthServerPlan>,
): AuthServerPlan {
  return {
    issuer,
    browserBase: issuer,
    resource,
    audience: resource,
    scopes: ['email', 'offline_access', 'openid', 'profile', 'repo'],
    signingKeys: [],
    hmacSecrets: [],
    lifespans: { accessTokenSeconds: 3600, refreshTokenSeconds: 604_800, authCodeSeconds: 600 },
    registration: { baselineScopes: [], allowsSecrets: false, secretRedirectUris: [] },
    delegateClients: [],
    trustedIssuers: [],
    clientDocuments: null,
    injectsUpstreamTokens: true,
    storage: null,
    ...more,
  };
}

/** The plan of a gateway that accepts its own tokens. */
export function ownTokens(
  issuer: string,
  resource: string,
  introspection: TokenProviderPlan['introspection'],
): IncomingAuthPlan {
  return {
    type: 'oidc',
    realm: issuer,
    providers: [
      {
        name: 'own',
        issuer,
        audience: resource,
        // There is no server, so fetching keys would fail.
        keys: { type: 'discovery', url: 'http://127.0.0.1:9/.well-known/openid-configuration' },
        keysToken: null,
        introspection,
        trust: { type: 'default' },
        addresses: 'any',
        allowsHttp: true,
      },
    ],
    requiredScopes: [],
    resourceMetadata: {
      url: `${resource}/.well-known/oauth-protected-resource`,
      paths: ['/.well-known/oauth-protected-resource'],
      document: {
        resource,
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['openid'],
      },
    },
  };
}
