/** Every URL that a bundle connects to. A new part of the bundle that connects somewhere is one line here. */
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
  /** The pods behind the Service listen on the port of the URL, or on ours. Only so can a policy, which sees the pods' port, name it. */
  readonly isPodPort?: boolean;
  /** What is reached there listens on a port that the URL does not name. */
  readonly isAnyPort?: boolean;
}

export function listDestinations(bundle: GatewayBundle | RegistryBundle): readonly Destination[] {
  return [...(bundle.kind === 'gateway' ? ofGateway(bundle) : ofRegistry(bundle)), ...ofAuditCollector(bundle)];
}

/** A variable of the process names it, for which bundles have no field. One that comes out of a Secret or ConfigMap is not known here. */
function ofAuditCollector(bundle: GatewayBundle | RegistryBundle): readonly Destination[] {
  if (bundle.audit === undefined) return [];
  const variables = findTemplateContainers(bundle).flatMap(({ env = [] }) => env);
  return variables.flatMap(({ name, value }) =>
    name === AUDIT_COLLECTOR_VARIABLE && value ? [{ url: value, addresses: 'any' }] : [],
  );
}

function ofGateway({
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
    ...(incomingAuth.type === 'oidc' ? foreign(incomingAuth.providers, authServer).flatMap(ofProvider) : []),
    ...(authServer?.upstreams ?? []).flatMap(ofUpstream),
    ...(authServer?.trustedIssuers ?? []).map(({ keys: { url }, addresses }) => ({ url, addresses })),
    ...(authServer?.clientDocuments ? [ANY_PUBLIC_HOST] : []),
    ...backends.flatMap(ofBackend),
    ...redises.flatMap(redis => (redis === undefined ? [] : ofRedis(redis))),
    ...ofEmbeddings(optimizer),
    ...ofCollector(telemetry),
  ];
}

/** Clients say where their documents are; the policy knows of it no more than the port. */
const ANY_PUBLIC_HOST: Destination = { url: 'https://any.invalid', addresses: 'public' };

function ofEmbeddings(optimizer: OptimizerPlan | undefined): readonly Destination[] {
  const { embeddings } = optimizer ?? {};
  return embeddings === undefined ? [] : [{ url: embeddings.url, addresses: embeddings.addresses }];
}

/** The platform team writes where its Redis is. */
function ofRedis({ addresses, mode }: RedisPlan): readonly Destination[] {
  return addresses.map(address => ({
    url: `redis://${address}`,
    addresses: 'any',
    // Sentinels name the primary, which is mostly where they are, but not at their port.
    isAnyPort: mode === 'sentinel',
  }));
}

/** The platform team writes where its collector is. */
function ofCollector(telemetry: TelemetryPlan | undefined): readonly Destination[] {
  const url = telemetry?.otlp?.endpoint;
  return url === undefined ? [] : [{ url, addresses: 'any' }];
}

function ofRegistry({ auth, sources, telemetry }: RegistryBundle): readonly Destination[] {
  return [
    ...(auth.mode === 'oauth' ? auth.providers.flatMap(ofProvider) : []),
    ...sources.flatMap(({ from }) => originUrl(from) ?? []).map((url): Destination => ({ url, addresses: 'any' })),
    ...ofCollector(telemetry),
  ];
}

/** Who writes the configuration of a registry server chooses where its sources are. */
function originUrl(from: RegistryOrigin): string | undefined {
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

/** What a discovery document leads to is not known; it is mostly the same host, or a public one. */
function ofProvider({ issuer, keys, introspection, addresses }: TokenProviderPlan): readonly Destination[] {
  const urls = [issuer, keys.url, ...(introspection === null ? [] : [introspection.url])];
  return urls.map(url => ({ url, addresses }));
}

/** Keys of the gateway's own issuer need no connection. */
function foreign(
  providers: readonly TokenProviderPlan[],
  own: AuthServerPlan | undefined,
): readonly TokenProviderPlan[] {
  return providers.filter(({ issuer }) => issuer !== own?.issuer);
}

/** Browsers go to an authorization endpoint, and the gateway to the others. */
function ofUpstream(upstream: UpstreamPlan): readonly Destination[] {
  const { addresses, userInfo } = upstream;
  const urls = [
    upstream.type === 'oidc' ? upstream.issuer : upstream.tokenEndpoint,
    ...(userInfo === null ? [] : [userInfo.url]),
    ...(upstream.type === 'oauth2' ? registrationUrls(upstream) : []),
  ];
  return urls.map(url => ({ url, addresses }));
}

/** A discovery document mostly names an endpoint at its own host. */
function registrationUrls({ registration }: OAuth2UpstreamPlan): readonly string[] {
  return [registration?.discoveryUrl, registration?.endpoint].filter(url => url != null);
}

function ofBackend({ url, addresses, auth }: BackendPlan): readonly Destination[] {
  return [{ url, addresses, isPodPort: isOwnService(url) }, ...ofCredential(auth)];
}

/** Services of our kinds, which forward a port to the same port or to that of a gateway: proxies in front of servers, and gateways. */
function isOwnService(url: string): boolean {
  const { hostname = '' } = URL.parse(url) ?? {};
  return /^(?:mcp-[^.]+-(?:remote-)?proxy|vmcp-[^.]+)\.[^.]+\.svc\./.test(hostname);
}

/** Token endpoints are written by the platform team, so they may be anywhere. */
function ofCredential(auth: OutgoingAuthPlan): readonly Destination[] {
  return tokenUrls(auth).map(url => ({ url, addresses: 'any' }));
}

function tokenUrls(auth: OutgoingAuthPlan): readonly string[] {
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
