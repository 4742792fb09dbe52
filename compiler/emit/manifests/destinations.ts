/** Every URL that a bundle connects to. A new part of the bundle with a connection needs one line here. */
import {
  type AddressPolicy,
  AUDIT_COLLECTOR_VARIABLE,
  type AuthServerPlan,
  type BackendPlan,
  type GatewayBundle,
  isLocalRepository,
  type OAuth2UpstreamPlan,
  type OptimizerPlan,
  type OutgoingAuthPlan,
  type RedisPlan,
  type RegistryBundle,
  type RegistryOrigin,
  type TelemetryPlan,
  type TokenProviderPlan,
  type UpstreamPlan,
} from '#schemas';
import { findTemplateContainers } from './template-container.ts';

export interface Destination {
  readonly url: string;
  readonly addresses: AddressPolicy;
  /**
   * The pods behind the Service listen on the port in the URL, or on Lintel's default port. Only then can a network policy name the
   * port, because policies match the ports of pods.
   */
  readonly isPodPort?: boolean;
  /** The target listens on a port that the URL does not name. */
  readonly isAnyPort?: boolean;
}

export function listDestinations(bundle: GatewayBundle | RegistryBundle): readonly Destination[] {
  return [
    ...(bundle.kind === 'gateway' ? listGatewayDestinations(bundle) : listRegistryDestinations(bundle)),
    ...listAuditCollectorDestinations(bundle),
  ];
}

/**
 * An environment variable of the process names the collector; bundles have no field for it. A variable from a Secret or ConfigMap is unknown
 * here.
 */
function listAuditCollectorDestinations(bundle: GatewayBundle | RegistryBundle): readonly Destination[] {
  if (bundle.audit === undefined) return [];
  const variables = findTemplateContainers(bundle).flatMap(({ env = [] }) => env);
  return variables.flatMap(({ name, value }) =>
    name === AUDIT_COLLECTOR_VARIABLE && value ? [{ url: value, addresses: 'any' }] : [],
  );
}

function listGatewayDestinations({
  authServer,
  incomingAuth,
  backends,
  optimizer,
  rateLimiting,
  sessionStorage,
  telemetry,
}: GatewayBundle): readonly Destination[] {
  const redises = [rateLimiting?.store?.redis, sessionStorage?.redis, authServer?.storage?.redis];
  return [
    ...(incomingAuth.type === 'oidc'
      ? listForeignProviders(incomingAuth.providers, authServer).flatMap(listProviderDestinations)
      : []),
    ...(authServer?.upstreams ?? []).flatMap(listUpstreamDestinations),
    ...(authServer?.trustedIssuers ?? []).map(({ keys: { url }, addresses }) => ({ url, addresses })),
    ...(authServer?.clientDocuments ? [ANY_PUBLIC_HOST] : []),
    ...backends.flatMap(listBackendDestinations),
    ...redises.flatMap(redis => (redis === undefined ? [] : listRedisDestinations(redis))),
    ...listEmbeddingDestinations(optimizer),
    ...listCollectorDestinations(telemetry),
  ];
}

/** Clients choose the host of their metadata documents, so the policy only knows the port. */
const ANY_PUBLIC_HOST: Destination = { url: 'https://any.invalid', addresses: 'public' };

function listEmbeddingDestinations(optimizer: OptimizerPlan | undefined): readonly Destination[] {
  const { embeddings } = optimizer ?? {};
  return embeddings === undefined ? [] : [{ url: embeddings.url, addresses: embeddings.addresses }];
}

/** The platform team chooses the Redis address. */
function listRedisDestinations({ addresses, mode }: RedisPlan): readonly Destination[] {
  return addresses.map(address => ({
    url: `redis://${address}`,
    addresses: 'any',
    // Sentinels report the primary, usually on their own hosts, but at another port.
    isAnyPort: mode === 'sentinel',
  }));
}

/** The platform team chooses the collector's address. */
function listCollectorDestinations(telemetry: TelemetryPlan | undefined): readonly Destination[] {
  const url = telemetry?.otlp?.endpoint;
  return url === undefined ? [] : [{ url, addresses: 'any' }];
}

function listRegistryDestinations({ auth, sources, telemetry }: RegistryBundle): readonly Destination[] {
  return [
    ...(auth.mode === 'oauth' ? auth.providers.flatMap(listProviderDestinations) : []),
    ...sources.flatMap(({ from }) => findOriginUrl(from) ?? []).map((url): Destination => ({ url, addresses: 'any' })),
    ...listCollectorDestinations(telemetry),
  ];
}

/** The author of a registry server's configuration chooses the addresses of its sources. */
function findOriginUrl(from: RegistryOrigin): string | undefined {
  switch (from.type) {
    case 'api':
      return from.endpoint;
    case 'git':
      return isLocalRepository(from.repository) ? undefined : from.repository;
    case 'url':
      return from.url;
    case 'bundled':
    case 'file':
      return undefined;
  }
}

/** The addresses in a discovery document are unknown; usually they are on the same host, or public. */
function listProviderDestinations({
  issuer,
  keys,
  introspection,
  addresses,
}: TokenProviderPlan): readonly Destination[] {
  const urls = [issuer, keys.url, ...(introspection === null ? [] : [introspection.url])];
  return urls.map(url => ({ url, addresses }));
}

/** Keys of the gateway's own issuer need no connection. */
function listForeignProviders(
  providers: readonly TokenProviderPlan[],
  own: AuthServerPlan | undefined,
): readonly TokenProviderPlan[] {
  return providers.filter(({ issuer }) => issuer !== own?.issuer);
}

/** Browsers connect to an authorization endpoint, the gateway to the other endpoints. */
function listUpstreamDestinations(upstream: UpstreamPlan): readonly Destination[] {
  const { addresses, userInfo } = upstream;
  const urls = [
    upstream.type === 'oidc' ? upstream.issuer : upstream.tokenEndpoint,
    ...(userInfo === null ? [] : [userInfo.url]),
    ...(upstream.type === 'oauth2' ? listRegistrationUrls(upstream) : []),
  ];
  return urls.map(url => ({ url, addresses }));
}

/** A discovery document usually names an endpoint on its own host. */
function listRegistrationUrls({ registration }: OAuth2UpstreamPlan): readonly string[] {
  return [registration?.discoveryUrl, registration?.endpoint].filter(url => url != null);
}

function listBackendDestinations({ url, addresses, auth }: BackendPlan): readonly Destination[] {
  return [{ url, addresses, isPodPort: isOwnService(url) }, ...listCredentialDestinations(auth)];
}

/** Services of Lintel's kinds, which forward to the same port or to a gateway's port: proxies in front of servers, and gateways. */
function isOwnService(url: string): boolean {
  const { hostname = '' } = URL.parse(url) ?? {};
  return /^(?:mcp-[^.]+-(?:remote-)?proxy|vmcp-[^.]+)\.[^.]+\.svc\./.test(hostname);
}

/** The platform team chooses token endpoints, so they may be anywhere. */
function listCredentialDestinations(auth: OutgoingAuthPlan): readonly Destination[] {
  return listTokenUrls(auth).map(url => ({ url, addresses: 'any' }));
}

function listTokenUrls(auth: OutgoingAuthPlan): readonly string[] {
  switch (auth.type) {
    case 'aws_sts':
      return [auth.stsUrl];
    case 'obo':
    case 'token_exchange':
      return [auth.tokenUrl];
    case 'xaa':
      return [auth.idp.tokenUrl, auth.target.tokenUrl];
    case 'header_injection':
    case 'unauthenticated':
    case 'upstream_inject':
      return [];
  }
}
