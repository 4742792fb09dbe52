/** Lowers incoming authentication. */
import {
  type ConfigIncomingAuth,
  type ConfigOidc,
  formatServiceUrl,
  type GatewayConfig,
  type IncomingAuth,
  type IncomingAuthPlan,
  type OidcConfigRef,
  type ResourceMetadataPlan,
  type TokenAuthPlan,
  type TokenProviderPlan,
  type VirtualMCPServerSpec,
} from '#schemas';
import type { OidcConfigSpec } from '../resolve/choose-incoming-auth.ts';
import type { Resource } from '../resolve/inventory.ts';
import type { Tracked } from '../resolve/tracked.ts';
import { findWebUrlProblem } from '../rules/support/url-problem.ts';
import { checkMountedCaBundle } from './ca-bundle.ts';
import type { LoweringContext } from './context.ts';
import { inlineProvider, lowerServiceAccountProvider } from './oidc-config.ts';
import { computeResourceMetadata } from './resource-metadata.ts';
import { lowerProviderAddresses, lowerProviderKeys } from './token-provider.ts';

/** The plan for a refused spec: no caller is admitted. */
const REFUSES_ALL: TokenAuthPlan = {
  type: 'oidc',
  realm: '',
  providers: [],
  requiredScopes: [],
  resourceMetadata: null,
};

/** Default advertised scopes. */
const DEFAULT_SCOPES = ['openid'];

/** The provider's name when no object gives it one. */
const OWN_PROVIDER = 'config.incomingAuth.oidc';

/** `spec.incomingAuth`, otherwise `config.incomingAuth`: schema rules require one of them. */
export function lowerIncomingAuth(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): IncomingAuthPlan {
  const incoming = spec.child('incomingAuth');
  if (incoming !== undefined) {
    config?.ignore('incomingAuth', `spec.incomingAuth, of type ${incoming.peek('type')}, takes precedence`);
    return lowerReferring(context, gateway, incoming);
  }
  const incomingAuth = config?.child('incomingAuth');
  return incomingAuth === undefined ? REFUSES_ALL : lowerWritten(context, gateway, incomingAuth);
}

/** Authentication that an MCPOIDCConfig describes. */
function lowerReferring(
  context: LoweringContext,
  gateway: Resource<VirtualMCPServerSpec>,
  incoming: Tracked<IncomingAuth>,
): IncomingAuthPlan {
  const type = incoming.get('type');
  const ref = incoming.child('oidcConfigRef');
  if (type === 'anonymous' || ref === undefined) {
    incoming.ignore('oidcConfigRef', `incomingAuth.type is ${type}`);
    return type === 'anonymous' ? { type } : REFUSES_ALL;
  }
  const config = context.inventory.find<OidcConfigSpec>('MCPOIDCConfig', gateway.namespace, ref.get('name'));
  // The unresolved reference was already reported.
  if (config === undefined) return REFUSES_ALL;
  const settings = context.track(config);
  const audience = ref.get('audience');
  const provider =
    settings.get('type') === 'inline'
      ? inlineProvider(context, config, settings.child('inline'), audience)
      : lowerServiceAccountProvider(config, settings.child('kubernetesServiceAccount'), audience);
  if (provider === undefined) return REFUSES_ALL;
  return lowerTokenAuth(provider, [], ref.get('scopes') ?? DEFAULT_SCOPES, formatResource(gateway, ref));
}

/**
 * The URL by which clients know the gateway: the public URL, otherwise that of its Service. It has no path, so that the resource is the same for
 * each transport (RFC 9728, section 1.2).
 */
function formatResource({ namespace, name }: Resource, ref: Tracked<OidcConfigRef>): string {
  return ref.get('resourceUrl') || formatServiceUrl('gateway', namespace, name);
}

/** Authentication with inline settings. */
function lowerWritten(
  context: LoweringContext,
  gateway: Resource,
  incoming: Tracked<ConfigIncomingAuth>,
): IncomingAuthPlan {
  const type = incoming.get('type');
  if (type !== 'oidc') {
    incoming.ignore('oidc', `incomingAuth.type is ${type}`);
    return { type };
  }
  const oidc = incoming.child('oidc');
  if (oidc === undefined) {
    const message = 'missing "oidc", which the type asks for';
    context.report(gateway, 'LNT1010', incoming.path, message, { at: 'key' });
    return REFUSES_ALL;
  }
  checkMountedCaBundle(context, gateway, oidc.peek('caBundlePath') ?? '', [...oidc.path, 'caBundlePath']);
  const scopes = oidc.get('scopes') ?? [];
  const audience = oidc.get('audience');
  const resource = oidc.get('resource') || (findWebUrlProblem(audience) === undefined ? audience : null);
  return lowerTokenAuth(lowerInlineProvider(oidc), scopes, scopes.length === 0 ? DEFAULT_SCOPES : scopes, resource);
}

function lowerInlineProvider(oidc: Tracked<ConfigOidc>): TokenProviderPlan {
  const issuer = oidc.get('issuer');
  const jwksUrl = oidc.get('jwksUrl') || undefined;
  const introspectionUrl = oidc.get('introspectionUrl') || undefined;
  const caFile = oidc.get('caBundlePath');
  oidc.ignore('protectedResourceAllowPrivateIp', 'the gateway serves its metadata itself and fetches none');
  return {
    name: OWN_PROVIDER,
    issuer,
    audience: oidc.get('audience'),
    keys: lowerProviderKeys(issuer, jwksUrl),
    keysToken: null,
    introspection: lowerIntrospection(oidc, introspectionUrl),
    trust: caFile ? { type: 'file', path: caFile, replaces: true } : { type: 'default' },
    addresses: lowerProviderAddresses(oidc.get('jwksAllowPrivateIp') === true, [
      jwksUrl ?? issuer,
      ...(introspectionUrl === undefined ? [] : [introspectionUrl]),
    ]),
    allowsHttp: oidc.get('insecureAllowHttp') === true,
  };
}

function lowerIntrospection(oidc: Tracked<ConfigOidc>, url: string | undefined): TokenProviderPlan['introspection'] {
  // The field is required, even if nothing uses it.
  const clientId = oidc.get('clientId');
  if (url === undefined) {
    oidc.ignore('clientSecretEnv', 'there is no introspectionUrl');
    return null;
  }
  const env = oidc.get('clientSecretEnv');
  return {
    url,
    credentials: env ? { type: 'basic', clientId, secret: { env, file: null } } : { type: 'none' },
  };
}

/** @param resource null when the gateway's URL is unknown */
function lowerTokenAuth(
  provider: TokenProviderPlan,
  requiredScopes: readonly string[],
  advertisedScopes: readonly string[],
  resource: string | null,
): TokenAuthPlan {
  return {
    type: 'oidc',
    realm: provider.issuer,
    providers: [provider],
    requiredScopes,
    resourceMetadata: resource === null ? null : buildMetadata(resource, provider.issuer, advertisedScopes),
  };
}

/** Null for an invalid URL, which a rule has refused. */
function buildMetadata(resource: string, issuer: string, scopes: readonly string[]): ResourceMetadataPlan | null {
  if (findWebUrlProblem(resource) !== undefined) return null;
  return {
    ...computeResourceMetadata(resource),
    document: {
      resource,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
    },
  };
}
