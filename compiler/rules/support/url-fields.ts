/**
 * Every field of a spec that contains an address, and which program connects to it. `contacted-hosts.ts` checks the addresses that Lintel
 * connects to; a field without an entry fails a test.
 */

/** A field with an address that Lintel connects to. */
export interface ContactedField {
  readonly contacted: true;
  /**
   * What decides about private addresses: nothing, so that all are allowed; a field of the same or an enclosing object; or another rule.
   */
  readonly private: 'allowed' | 'own rule' | PrivateUnless;
  /** Whether private addresses are refused when an operator denies private backends. */
  readonly deniable?: true;
  /** Sibling fields whose presence means that the address is only compared and never contacted. */
  readonly comparedBeside?: string;
}

export interface PrivateUnless {
  /** The field that allows private addresses. */
  readonly unless: string;
  /** Whether this also covers the machine itself and the cluster's API; otherwise another rule does. */
  readonly includesPlatform: boolean;
  /** The private addresses that the field allows. A URL that names the machine itself or the cluster's API is always allowed. */
  readonly allows: 'any' | 'private';
}

/** A field with an address that Lintel never connects to, and why. */
export interface NamedField {
  readonly contacted: false;
  readonly because: string;
}

export type UrlField = ContactedField | NamedField;

const ALLOWED: ContactedField = { contacted: true, private: 'allowed' };
const DENIABLE: ContactedField = { ...ALLOWED, deniable: true };
const unlessPrivateIps = (allows: PrivateUnless['allows']): ContactedField => ({
  contacted: true,
  private: { unless: 'allowPrivateIPs', includesPlatform: true, allows },
});
const OF_UPSTREAM = unlessPrivateIps('any');
/** The checks of a trusted issuer, whose tokens are exchanged. */
const OF_TRUSTED_ISSUER = unlessPrivateIps('private');
const OWN_RULE: ContactedField = { contacted: true, private: 'own rule' };

const named = (because: string): NamedField => ({ contacted: false, because });

const BROWSER = named('browsers and clients go there');
const IDENTIFIER = named('it is compared, and no connection is made to it');

type UrlFields = { readonly [path: string]: UrlField };

/** The same fields with `location` before each of their paths. */
function below(location: string, fields: UrlFields): UrlFields {
  return Object.fromEntries(Object.entries(fields).map(([path, field]) => [`${location}.${path}`, field]));
}

function provider(allow: string): UrlFields {
  const field: ContactedField = {
    contacted: true,
    private: { unless: allow, includesPlatform: false, allows: 'private' },
  };
  return { issuer: { ...field, comparedBeside: 'jwksUrl' }, jwksUrl: field, introspectionUrl: field };
}

const AUTH_SERVER: UrlFields = {
  issuer: named('it is the server itself'),
  authorizationEndpointBaseUrl: BROWSER,
  'upstreamProviders.*.oidcConfig.issuerUrl': ALLOWED,
  'upstreamProviders.*.oidcConfig.redirectUri': BROWSER,
  'upstreamProviders.*.oidcConfig.userInfoOverride.endpointUrl': ALLOWED,
  'upstreamProviders.*.oauth2Config.authorizationEndpoint': BROWSER,
  'upstreamProviders.*.oauth2Config.tokenEndpoint': OF_UPSTREAM,
  'upstreamProviders.*.oauth2Config.redirectUri': BROWSER,
  'upstreamProviders.*.oauth2Config.userInfo.endpointUrl': OF_UPSTREAM,
  'upstreamProviders.*.oauth2Config.dcrConfig.discoveryUrl': OF_UPSTREAM,
  'upstreamProviders.*.oauth2Config.dcrConfig.registrationEndpoint': OF_UPSTREAM,
  'storage.redis.addr': ALLOWED,
  'storage.redis.sentinelConfig.sentinelAddrs.*': ALLOWED,
  'forceConfidentialRedirectUris.*': BROWSER,
  'trustedIssuers.*.issuerUrl': { ...OF_TRUSTED_ISSUER, comparedBeside: 'jwksUrl' },
  'trustedIssuers.*.jwksUrl': OF_TRUSTED_ISSUER,
  'trustedIssuers.*.jwtBearerGrant.subjectBindings.*.allowedResources.*': IDENTIFIER,
  'trustedIssuers.*.jwtBearerGrant.acceptedAudiences.*': IDENTIFIER,
};

const SESSION_STORAGE: UrlFields = { address: ALLOWED, 'sentinelConfig.sentinelAddrs.*': ALLOWED };

const STRATEGY: UrlFields = {
  'tokenExchange.tokenUrl': DENIABLE,
  'xaa.idpTokenUrl': DENIABLE,
  'xaa.targetTokenUrl': DENIABLE,
};

const WRITTEN_STRATEGY: UrlFields = { ...STRATEGY, 'obo.tokenUrl': DENIABLE };

/** Fields with URLs, by kind and by path below `spec`; `*` stands for an index or a key. */
export const URL_FIELDS: { readonly [kind: string]: UrlFields } = {
  GatewaySource: { url: ALLOWED, 'commitStatus.apiUrl': ALLOWED },
  MCPExternalAuthConfig: {
    ...STRATEGY,
    'obo.authority': DENIABLE,
    ...below('embeddedAuthServer', AUTH_SERVER),
  },
  MCPOIDCConfig: {
    ...below('inline', provider('jwksAllowPrivateIP')),
    ...below('kubernetesServiceAccount', provider('useClusterAuth')),
  },
  MCPRemoteProxy: {
    remoteUrl: OWN_RULE,
    ...below('sessionStorage', SESSION_STORAGE),
    'oidcConfigRef.resourceUrl': IDENTIFIER,
  },
  MCPServer: { ...below('sessionStorage', SESSION_STORAGE), 'oidcConfigRef.resourceUrl': IDENTIFIER },
  MCPServerEntry: { remoteUrl: OWN_RULE },
  MCPTelemetryConfig: { 'openTelemetry.endpoint': ALLOWED },
  VirtualMCPServer: {
    'incomingAuth.oidcConfigRef.resourceUrl': IDENTIFIER,
    'config.backends.*.url': ALLOWED,
    ...below('config.incomingAuth.oidc', provider('jwksAllowPrivateIp')),
    ...below('config.outgoingAuth.default', WRITTEN_STRATEGY),
    ...below('config.outgoingAuth.backends.*', WRITTEN_STRATEGY),
    ...below('config.sessionStorage', SESSION_STORAGE),
    'config.telemetry.endpoint': ALLOWED,
    'config.optimizer.embeddingService': DENIABLE,
    ...below('authServerConfig', AUTH_SERVER),
    ...below('sessionStorage', SESSION_STORAGE),
  },
};

/** Fields with URLs in the configuration of a registry server; paths start at its root. */
export const REGISTRY_URL_FIELDS: UrlFields = {
  'sources.*.git.repository': DENIABLE,
  'sources.*.api.endpoint': DENIABLE,
  'sources.*.file.url': DENIABLE,
  'auth.oauth.resourceUrl': IDENTIFIER,
  'auth.oauth.providers.*.issuerUrl': OWN_RULE,
  'auth.oauth.providers.*.jwksUrl': OWN_RULE,
  'auth.oauth.providers.*.introspectionUrl': OWN_RULE,
  'telemetry.endpoint': ALLOWED,
};
