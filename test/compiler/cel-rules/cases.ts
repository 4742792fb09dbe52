/** For every rule, an object that breaks it and one that obeys it where it applies. */
import type { StructuralSchema } from '#schemas';
import { sampleField } from '../../support/obey-rules.ts';

/** Fields to set on a valid sample of the object; undefined removes one. */
type Fields = Readonly<Record<string, unknown>>;

export interface Case {
  readonly breaks: Fields;
  readonly obeys: Fields;
  /** Messages of rules that cannot hold while this one is broken. */
  readonly also?: readonly string[];
}

type CaseOf = (part: (name: string) => unknown, schema: StructuralSchema) => Case;

/** The cases of a union, each type of which has its own settings. */
function union(type: string, others: readonly string[]): CaseOf {
  const none = Object.fromEntries([type, ...others].map(name => [name, undefined]));
  return part => ({ breaks: { ...none, type }, obeys: { ...none, type, [type]: part(type) } });
}

const EXTERNAL_AUTH = [
  'tokenExchange',
  'headerInjection',
  'bearerToken',
  'embeddedAuthServer',
  'awsSts',
  'upstreamInject',
  'obo',
  'xaa',
];

function unions(names: readonly string[], prefix = ''): Record<string, CaseOf> {
  return Object.fromEntries(
    names.map(name => [
      `${prefix}${name} must be present when type is '${name}' and absent otherwise`,
      union(name, names),
    ]),
  );
}

const LIMIT = { maxTokens: 7, refillPeriod: '7s' };
const REDIS = { provider: 'redis', address: 'redis.test:6379' };
const OIDC = { type: 'oidc', oidcConfigRef: { name: 'sample', audience: 'sample' } };
const AUTHZ = { authzConfig: { type: 'inline', inline: { policies: ['permit(principal, action, resource);'] } } };
const CONFIDENTIAL = 'allowConfidentialClientRegistration';

/** The cases by the rule's message; a rule at several places has one row. */
export const CASES: Readonly<Record<string, CaseOf>> = {
  'choose one of branch, tag, semver and commit': () => ({
    breaks: { branch: 'main', tag: 'v1', semver: undefined, commit: undefined },
    obeys: { branch: 'main', tag: undefined, semver: undefined, commit: undefined },
  }),
  'url must be without credentials: put them into the Secret of secretRef': () => ({
    breaks: { url: 'https://me:secret@git.example.com/team/gateways.git' },
    obeys: { url: 'https://git.example.com/team/gateways@next.git' },
  }),
  'path must stay inside of the repository: it goes up with ..': () => ({
    breaks: { path: 'specs/../../other' },
    obeys: { path: './specs/a..b' },
  }),
  'interval must be 10s or more': () => ({ breaks: { interval: '9999ms' }, obeys: { interval: '10s' } }),
  'timeout must be from 1s to 1h': () => ({ breaks: { timeout: '61m' }, obeys: { timeout: '1h' } }),
  'healthTimeout must be 1s or more': () => ({ breaks: { healthTimeout: '0s' }, obeys: { healthTimeout: '1s' } }),
  ...unions(EXTERNAL_AUTH),
  ...unions(['kubernetesServiceAccount', 'inline']),
  ...unions(['configMap', 'inline'], 'authzConfig.'),
  "type 'unauthenticated' takes no settings: remove them or choose the type that they belong to": part => {
    const none = Object.fromEntries(EXTERNAL_AUTH.map(name => [name, undefined]));
    return {
      breaks: { ...none, type: 'unauthenticated', bearerToken: part('bearerToken') },
      obeys: { ...none, type: 'unauthenticated' },
      also: ["bearerToken must be present when type is 'bearerToken' and absent otherwise"],
    };
  },
  'allowConfidentialClientRegistration cannot be combined with insecureAllowHTTP: client secrets would cross the network unencrypted':
    () => ({
      breaks: { [CONFIDENTIAL]: true, insecureAllowHTTP: true },
      obeys: { [CONFIDENTIAL]: false, insecureAllowHTTP: true },
    }),
  'delegateClients need an issuer that starts with https://': part => ({
    breaks: { issuer: 'http://localhost:8080', delegateClients: part('delegateClients') },
    obeys: { issuer: 'https://sample.example.com', delegateClients: part('delegateClients') },
  }),
  'forceConfidentialRedirectUris has no effect unless allowConfidentialClientRegistration is true': () => ({
    breaks: { forceConfidentialRedirectUris: ['https://sample.example.com/callback'] },
    obeys: { forceConfidentialRedirectUris: ['https://sample.example.com/callback'], [CONFIDENTIAL]: true },
  }),
  "set oidcConfig alone when type is 'oidc', and oauth2Config alone when type is 'oauth2'": part => ({
    breaks: { type: 'oidc', oidcConfig: part('oidcConfig'), oauth2Config: part('oauth2Config') },
    obeys: { type: 'oauth2', oidcConfig: undefined, oauth2Config: part('oauth2Config') },
  }),
  'set either clientId or dcrConfig, not both and not neither': part => ({
    breaks: { clientId: 'sample', dcrConfig: part('dcrConfig') },
    obeys: { clientId: undefined, dcrConfig: part('dcrConfig') },
  }),
  'clientSecretRef cannot be combined with dcrConfig: registration itself yields the secret': part => ({
    breaks: { clientId: undefined, dcrConfig: part('dcrConfig'), clientSecretRef: part('clientSecretRef') },
    obeys: { clientId: 'sample', clientSecretRef: part('clientSecretRef') },
  }),
  'set either discoveryUrl or registrationEndpoint, not both and not neither': () => ({
    breaks: { discoveryUrl: undefined, registrationEndpoint: undefined },
    obeys: { discoveryUrl: undefined, registrationEndpoint: 'https://sample.example.com/register' },
  }),
  'set either addr or sentinelConfig, not both and not neither': part => ({
    breaks: { addr: 'redis.test:6379', sentinelConfig: part('sentinelConfig') },
    obeys: { addr: undefined, sentinelConfig: part('sentinelConfig') },
  }),
  'clusterMode works with addr only: give the address of one cluster node': part => ({
    breaks: { clusterMode: true, addr: undefined, sentinelConfig: part('sentinelConfig') },
    obeys: { clusterMode: true, addr: 'redis.test:6379' },
  }),
  'clientSecretRef needs both name and key: a delegate client cannot be public': () => ({
    breaks: { clientSecretRef: { name: 'sample', key: '' } },
    obeys: { clientSecretRef: { name: 'sample', key: 'secret' } },
  }),
  "allowedDelegateClients holds '*' together with other entries: keep '*' alone or list the clients": () => ({
    breaks: { allowedDelegateClients: ['*', 'sample'] },
    obeys: { allowedDelegateClients: ['*'] },
  }),
  "allowMayAct cannot be combined with '*': list the clients in allowedDelegateClients": () => ({
    breaks: { allowMayAct: true, allowedDelegateClients: ['*'] },
    obeys: { allowMayAct: true, allowedDelegateClients: ['sample'] },
  }),
  'actorClaim names a reserved claim: use one that identifies a client, such as client_id, azp, appid or cid': () => ({
    breaks: { actorClaim: 'sub' },
    obeys: { actorClaim: 'client_id' },
  }),
  'allowPrivateIPs needs an explicit jwksUrl': () => ({
    breaks: { allowPrivateIPs: true },
    obeys: { allowPrivateIPs: true, jwksUrl: 'https://sample.example.com/jwks' },
  }),
  'expectedAudience is missing: only an issuer with nothing but jwtBearerGrant can do without it': part => ({
    breaks: { expectedAudience: undefined, allowedDelegateClients: ['sample'] },
    obeys: {
      expectedAudience: undefined,
      allowedDelegateClients: undefined,
      jwtBearerGrant: part('jwtBearerGrant'),
    },
  }),
  'allowedDelegateClients is missing: it says who may use expectedAudience, actorClaim, actorMatcher or allowMayAct':
    () => ({
      breaks: { expectedAudience: 'sample', allowedDelegateClients: undefined },
      obeys: { expectedAudience: 'sample', allowedDelegateClients: ['sample'] },
    }),
  'maxAssertionAge must be longer than zero, for example 5m': () => ({
    breaks: { maxAssertionAge: '0h0.0s' },
    obeys: { maxAssertionAge: '1ns' },
  }),
  'subjectBindings names a subject twice: merge the allowedResources of both entries': () => ({
    breaks: {
      subjectBindings: [
        { subject: 'a', allowedResources: ['https://sample.example.com/a'] },
        { subject: 'a', allowedResources: ['https://sample.example.com/b'] },
      ],
    },
    obeys: {
      subjectBindings: [
        { subject: 'a', allowedResources: ['https://sample.example.com/a'] },
        { subject: 'b', allowedResources: ['https://sample.example.com/a'] },
      ],
    },
  }),
  'give image, which runs in the cluster, or command, which runs on this machine; with both, command is a program of the image':
    () => ({
      breaks: { image: undefined, command: undefined },
      obeys: { image: undefined, command: 'sample' },
    }),
  "a command speaks over its standard streams: set transport to 'stdio', or leave it out": () => ({
    breaks: { image: undefined, command: 'sample', transport: 'sse' },
    obeys: { image: undefined, command: 'sample', transport: 'stdio' },
  }),
  'workingDir and process are those of a command: set command, or remove them': () => ({
    breaks: { image: 'sample', workingDir: 'sample' },
    obeys: { image: undefined, command: 'sample', workingDir: 'sample', process: { shared: true } },
  }),
  'authzConfig and authzConfigRef cannot be combined: keep one of them': part => ({
    breaks: { ...AUTHZ, authzConfigRef: part('authzConfigRef') },
    obeys: AUTHZ,
  }),
  "sessionStorage.address is missing: set host:port of the server, or sentinelConfig, when provider is 'redis'":
    part => ({
      breaks: { provider: 'redis', address: undefined, sentinelConfig: undefined },
      obeys: { provider: 'redis', address: undefined, sentinelConfig: part('sentinelConfig') },
    }),
  'sessionStorage.address cannot be combined with sentinelConfig: the sentinels name the server': part => ({
    breaks: { ...REDIS, sentinelConfig: part('sentinelConfig') },
    obeys: { ...REDIS, sentinelConfig: undefined },
  }),
  'sessionStorage.clusterMode cannot be combined with sentinelConfig: a cluster has no sentinels': part => ({
    breaks: { provider: 'redis', address: undefined, sentinelConfig: part('sentinelConfig'), clusterMode: true },
    obeys: { provider: 'redis', address: undefined, sentinelConfig: part('sentinelConfig'), clusterMode: false },
  }),
  "rateLimiting keeps its counters in Redis: set sessionStorage with provider 'redis'": () => ({
    breaks: { rateLimiting: { shared: LIMIT }, sessionStorage: { provider: 'memory' } },
    obeys: { rateLimiting: { shared: LIMIT }, sessionStorage: REDIS },
  }),
  'rateLimiting.perUser needs to know the caller: set oidcConfigRef or externalAuthConfigRef': part => ({
    breaks: { rateLimiting: { perUser: LIMIT }, sessionStorage: REDIS },
    obeys: { rateLimiting: { perUser: LIMIT }, sessionStorage: REDIS, oidcConfigRef: part('oidcConfigRef') },
  }),
  'perUser in rateLimiting.tools needs to know the caller: set oidcConfigRef or externalAuthConfigRef': part => ({
    breaks: { rateLimiting: { tools: [{ name: 'sample', perUser: LIMIT }] }, sessionStorage: REDIS },
    obeys: {
      rateLimiting: { tools: [{ name: 'sample', perUser: LIMIT }] },
      sessionStorage: REDIS,
      externalAuthConfigRef: part('externalAuthConfigRef'),
    },
  }),
  'rateLimiting limits nothing: set shared, perUser or at least one entry of tools': () => ({
    breaks: { shared: undefined, tools: [] },
    obeys: { shared: undefined, tools: [{ name: 'sample', shared: LIMIT }] },
  }),
  'this tool has no limit: set shared, perUser or both': () => ({
    breaks: { shared: undefined },
    obeys: { shared: LIMIT },
  }),
  'a header is in both headers and sensitiveHeaders: keep it in one of them': part => {
    const [header] = part('sensitiveHeaders') as [object];
    const sensitiveHeaders = [{ ...header, name: 'x-key' }];
    return {
      breaks: { headers: { 'x-key': 'a' }, sensitiveHeaders },
      obeys: { headers: { 'x-other': 'a' }, sensitiveHeaders },
    };
  },
  "neither spec.incomingAuth nor spec.config.incomingAuth is set: set one of them, with type 'anonymous' if clients need no credentials":
    () => ({
      breaks: { incomingAuth: undefined },
      obeys: { incomingAuth: undefined, config: { incomingAuth: { type: 'anonymous' } } },
    }),
  "replicas share the counters of config.rateLimiting in Redis: set spec.sessionStorage with provider 'redis', or spec.replicas to 1":
    () => ({
      breaks: { config: { rateLimiting: { shared: LIMIT } }, replicas: 2 },
      obeys: { config: { rateLimiting: { shared: LIMIT } }, replicas: 1 },
    }),
  "config.rateLimiting.perUser needs to know the caller: set incomingAuth.type to 'oidc'": () => ({
    breaks: {
      config: { rateLimiting: { perUser: LIMIT } },
      sessionStorage: REDIS,
      incomingAuth: { type: 'anonymous' },
    },
    obeys: { config: { rateLimiting: { perUser: LIMIT } }, sessionStorage: REDIS, incomingAuth: OIDC },
  }),
  "perUser in config.rateLimiting.tools needs to know the caller: set incomingAuth.type to 'oidc'": () => {
    const config = { rateLimiting: { tools: [{ name: 'sample', perUser: LIMIT }] } };
    return {
      breaks: { config, sessionStorage: REDIS, incomingAuth: { type: 'anonymous' } },
      obeys: {
        config: { ...config, incomingAuth: { type: 'oidc' } },
        sessionStorage: REDIS,
        incomingAuth: undefined,
      },
    };
  },
  "embeddingServerRef cannot be combined with embeddingProvider 'openai': an EmbeddingServer speaks 'tei'; drop one of the two":
    part => ({
      breaks: {
        embeddingServerRef: part('embeddingServerRef'),
        config: { optimizer: { embeddingProvider: 'openai' } },
      },
      obeys: { embeddingServerRef: part('embeddingServerRef'), config: { optimizer: { embeddingProvider: 'tei' } } },
    }),
  "incomingAuth.oidcConfigRef is missing: type 'oidc' needs an MCPOIDCConfig to validate tokens with": () => ({
    breaks: { type: 'oidc', oidcConfigRef: undefined },
    obeys: OIDC,
  }),
  'circuitBreaker.timeout must be 1s or longer': () => ({
    breaks: { timeout: '999ms' },
    obeys: { timeout: '0.5s500ms' },
  }),
  "embeddingHeaders are sent only when embeddingProvider is 'openai'": () => ({
    breaks: { embeddingHeaders: { 'X-Team': 'eng' }, embeddingProvider: 'tei' },
    obeys: { embeddingHeaders: { 'X-Team': 'eng' }, embeddingProvider: 'openai' },
  }),
  'embeddingHeaders must have valid HTTP header names other than Authorization and Content-Type': () => ({
    breaks: { embeddingHeaders: { 'X-Team': 'eng', 'CONTENT-type': 'a' }, embeddingProvider: 'openai' },
    obeys: { embeddingHeaders: { 'X-Team': 'eng', 'X-Content-Type': 'a' }, embeddingProvider: 'openai' },
  }),
};

/** The row of a rule for one of its objects. */
export function findCase(message: string, schema: StructuralSchema): Case | undefined {
  return CASES[message]?.(name => sampleField(schema, name), schema);
}
