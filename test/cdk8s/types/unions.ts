/** TypeScript that each union type accepts or refuses. Each case of `refuses` differs from an accepted one in one point. */
export interface UnionCases {
  readonly accepts: readonly string[];
  readonly refuses: readonly string[];
}

const secret = "{ name: 's', key: 'k' }";
const redis = `{ aclUserConfig: { passwordSecretRef: ${secret} }, addr: 'redis:6379' }`;
const oidcRef = "{ name: 'corp', audience: 'a' }";
const bucket = "{ maxTokens: 1, refillPeriod: '1s' }";
const policies = "{ type: 'inline', inline: { policies: ['permit (principal, action, resource);'] } }";
const image = "image: 'i'";
const remote = "remoteUrl: 'https://a.example/mcp'";
const gateway = "groupRef: { name: 'eng' }";
const oauth2 = "authorizationEndpoint: 'https://a.example/authorize', tokenEndpoint: 'https://a.example/token'";
const session = "{ provider: 'redis', address: 'redis:6379' }";
const sentinels = "{ masterName: 'm', sentinelAddrs: ['a:1'] }";
const trusted = "issuerUrl: 'https://a.example'";
const bearerGrant = "jwtBearerGrant: { maxAssertionAge: '1m', subjectBindings: [] }";
const authServer = "issuer: 'https://a.example', upstreamProviders: []";

export const UNIONS: { readonly [title: string]: UnionCases } = {
  AggregationConfig: {
    accepts: [
      '{}',
      "{ conflictResolution: 'manual' }",
      "{ conflictResolutionConfig: { prefixFormat: '{workload}.' } }",
      "{ conflictResolution: 'priority', conflictResolutionConfig: { priorityOrder: ['a'] } }",
    ],
    refuses: ["{ conflictResolution: 'priority' }", "{ conflictResolution: 'first' }"],
  },
  GitRef: {
    accepts: ['{}', "{ branch: 'main' }", "{ tag: 'v1' }", "{ semver: '1' }", "{ commit: 'abc' }"],
    refuses: ["{ branch: 'main', tag: 'v1' }", "{ semver: '1', commit: 'abc' }"],
  },
  MCPExternalAuthConfigSpec: {
    accepts: [
      "{ type: 'unauthenticated' }",
      `{ type: 'bearerToken', bearerToken: { tokenSecretRef: ${secret} } }`,
      "{ type: 'upstreamInject', upstreamInject: { providerName: 'corp' } }",
    ],
    refuses: [
      "{ type: 'bearerToken' }",
      `{ type: 'unauthenticated', bearerToken: { tokenSecretRef: ${secret} } }`,
      "{ type: 'awsSts', upstreamInject: { providerName: 'corp' } }",
      "{ type: 'basic' }",
      "{ type: 'tokenExchange' }",
      "{ type: 'headerInjection' }",
      "{ type: 'embeddedAuthServer' }",
      "{ type: 'obo' }",
      "{ type: 'xaa' }",
    ],
  },
  EmbeddedAuthServer: {
    accepts: [
      `{ ${authServer} }`,
      `{ ${authServer}, insecureAllowHTTP: true }`,
      `{ ${authServer}, allowConfidentialClientRegistration: true, forceConfidentialRedirectUris: ['https://a'] }`,
    ],
    refuses: [
      `{ ${authServer}, insecureAllowHTTP: true, allowConfidentialClientRegistration: true }`,
      `{ ${authServer}, forceConfidentialRedirectUris: ['https://a'] }`,
    ],
  },
  UpstreamProvider: {
    accepts: [`{ name: 'a', type: 'oauth2', oauth2Config: { ${oauth2}, clientId: 'c' } }`],
    refuses: [
      "{ name: 'a', type: 'oauth2' }",
      "{ name: 'a', type: 'oidc' }",
      `{ name: 'a', type: 'oidc', oauth2Config: { ${oauth2}, clientId: 'c' } }`,
    ],
  },
  OAuth2Upstream: {
    accepts: [
      `{ ${oauth2}, clientId: 'c', clientSecretRef: ${secret} }`,
      `{ ${oauth2}, dcrConfig: { discoveryUrl: 'https://a.example' } }`,
    ],
    refuses: [
      `{ ${oauth2} }`,
      `{ ${oauth2}, clientId: 'c', dcrConfig: { discoveryUrl: 'https://a.example' } }`,
      `{ ${oauth2}, clientSecretRef: ${secret}, dcrConfig: { discoveryUrl: 'https://a.example' } }`,
    ],
  },
  DynamicClientRegistration: {
    accepts: ["{ discoveryUrl: 'https://a.example' }", "{ registrationEndpoint: 'https://a.example' }"],
    refuses: ['{}', "{ discoveryUrl: 'https://a.example', registrationEndpoint: 'https://a.example' }"],
  },
  AuthServerStorage: {
    accepts: ['{}', "{ type: 'memory' }", `{ type: 'redis', redis: ${redis} }`],
    refuses: ["{ type: 'redis' }", `{ redis: ${redis} }`, `{ type: 'memory', redis: ${redis} }`],
  },
  AuthServerRedis: {
    accepts: [
      redis,
      `{ aclUserConfig: { passwordSecretRef: ${secret} }, addr: 'a:1', clusterMode: true }`,
      `{ aclUserConfig: { passwordSecretRef: ${secret} }, sentinelConfig: { masterName: 'm', sentinelAddrs: ['a:1'] } }`,
    ],
    refuses: [
      `{ aclUserConfig: { passwordSecretRef: ${secret} } }`,
      `{ aclUserConfig: { passwordSecretRef: ${secret} }, clusterMode: true, sentinelConfig: { masterName: 'm', sentinelAddrs: ['a:1'] } }`,
      `{ aclUserConfig: { passwordSecretRef: ${secret} }, addr: 'a:1', sentinelConfig: { masterName: 'm', sentinelAddrs: ['a:1'] } }`,
    ],
  },
  RedisSentinel: {
    accepts: ["{ masterName: 'm', sentinelAddrs: ['a:1'] }", "{ masterName: 'm', sentinelService: { name: 's' } }"],
    refuses: ["{ masterName: 'm' }", "{ masterName: 'm', sentinelAddrs: ['a:1'], sentinelService: { name: 's' } }"],
  },
  TrustedIssuer: {
    accepts: [
      `{ ${trusted}, ${bearerGrant} }`,
      `{ ${trusted}, expectedAudience: 'a', allowedDelegateClients: ['c'], allowMayAct: true }`,
      `{ ${trusted}, ${bearerGrant}, allowPrivateIPs: true, jwksUrl: 'https://a.example' }`,
    ],
    refuses: [
      `{ ${trusted} }`,
      `{ ${trusted}, expectedAudience: 'a' }`,
      `{ ${trusted}, ${bearerGrant}, actorClaim: 'a' }`,
      `{ ${trusted}, ${bearerGrant}, allowPrivateIPs: true }`,
    ],
  },
  MCPOIDCConfigSpec: {
    accepts: [
      "{ type: 'inline', inline: { issuer: 'https://a.example' } }",
      "{ type: 'kubernetesServiceAccount', kubernetesServiceAccount: {} }",
    ],
    refuses: [
      "{ type: 'inline' }",
      "{ type: 'kubernetesServiceAccount' }",
      "{ type: 'kubernetesServiceAccount', inline: { issuer: 'https://a.example' } }",
      "{ inline: { issuer: 'https://a.example' } }",
    ],
  },
  MCPRemoteProxySpec: {
    accepts: [`{ ${remote}, authzConfig: ${policies} }`, `{ ${remote}, authzConfigRef: { name: 'a' } }`],
    refuses: [`{ ${remote}, authzConfig: ${policies}, authzConfigRef: { name: 'a' } }`],
  },
  SessionStorage: {
    accepts: [
      "{ provider: 'memory' }",
      session,
      `{ provider: 'redis', sentinelConfig: ${sentinels} }`,
      `{ provider: 'redis', address: 'a:1', clusterMode: true }`,
    ],
    refuses: [
      "{ provider: 'redis' }",
      "{ provider: 'etcd' }",
      `{ provider: 'redis', address: 'a:1', sentinelConfig: ${sentinels} }`,
      `{ provider: 'redis', clusterMode: true, sentinelConfig: ${sentinels} }`,
    ],
  },
  AuthzConfig: {
    accepts: [policies, "{ type: 'configMap', configMap: { name: 'a' } }"],
    refuses: ["{ type: 'inline' }", "{ type: 'inline', configMap: { name: 'a' } }", "{ type: 'configMap' }"],
  },
  MCPServerSpec: {
    accepts: [
      `{ ${image}, sessionStorage: { provider: 'memory' } }`,
      `{ ${image}, rateLimiting: { shared: ${bucket} }, sessionStorage: ${session} }`,
      `{ ${image}, authzConfigRef: { name: 'a' } }`,
    ],
    refuses: [
      `{ ${image}, rateLimiting: { shared: ${bucket} } }`,
      `{ ${image}, rateLimiting: { shared: ${bucket} }, sessionStorage: { provider: 'memory' } }`,
      `{ ${image}, authzConfig: ${policies}, authzConfigRef: { name: 'a' } }`,
    ],
  },
  RateLimiting: {
    accepts: [`{ shared: ${bucket} }`, `{ perUser: ${bucket} }`, `{ tools: [{ name: 't', shared: ${bucket} }] }`],
    refuses: ['{}'],
  },
  ToolRateLimit: {
    accepts: [`{ name: 't', shared: ${bucket} }`, `{ name: 't', perUser: ${bucket} }`],
    refuses: ["{ name: 't' }"],
  },
  CompositeStep: {
    accepts: [
      "{ id: 's', tool: 'a.b', arguments: { deep: { free: 1 } } }",
      "{ id: 's', type: 'elicitation', message: 'm', schema: { type: 'object' } }",
      "{ id: 's', type: 'forEach', collection: '{{ .params.a }}', step: { id: 'i', tool: 'a.b' } }",
    ],
    refuses: [
      "{ id: 's' }",
      "{ id: 's', type: 'elicitation', message: 'm' }",
      "{ id: 's', type: 'elicitation', message: 'm', schema: {}, tool: 'a.b' }",
      "{ id: 's', type: 'forEach', collection: 'c' }",
      "{ id: 's', tool: 'a.b', itemVar: 'i' }",
    ],
  },
  CompositeInnerStep: { accepts: ["{ id: 'i', tool: 'a.b' }"], refuses: ["{ id: 'i' }"] },
  VirtualMCPServerSpec: {
    accepts: [
      `{ ${gateway}, incomingAuth: { type: 'anonymous' } }`,
      `{ ${gateway}, config: { incomingAuth: { type: 'anonymous' } } }`,
      `{ ${gateway}, incomingAuth: { type: 'anonymous' }, sessionStorage: ${session}, config: { rateLimiting: { shared: ${bucket} } } }`,
      `{ ${gateway}, incomingAuth: { type: 'anonymous' }, replicas: 1, config: { rateLimiting: { shared: ${bucket} } } }`,
    ],
    refuses: [`{ ${gateway} }`, `{ ${gateway}, config: {} }`],
  },
  IncomingAuth: {
    accepts: [
      "{ type: 'anonymous' }",
      `{ type: 'oidc', oidcConfigRef: ${oidcRef} }`,
      `{ type: 'oidc', oidcConfigRef: ${oidcRef}, authzConfig: ${policies} }`,
    ],
    refuses: [
      "{ type: 'oidc' }",
      `{ type: 'oidc', oidcConfigRef: ${oidcRef}, authzConfig: ${policies}, authzConfigRef: { name: 'a' } }`,
    ],
  },
  BackendAuth: {
    accepts: ["{ type: 'discovered' }", "{ type: 'externalAuthConfigRef', externalAuthConfigRef: { name: 'a' } }"],
    refuses: ["{ type: 'externalAuthConfigRef' }", "{ type: 'discovered', externalAuthConfigRef: { name: 'a' } }"],
  },
  ConfigIncomingAuth: {
    accepts: [
      "{ type: 'local' }",
      "{ type: 'oidc', oidc: { issuer: 'https://a.example', audience: 'a', clientId: 'c' } }",
    ],
    refuses: [
      "{ type: 'oidc' }",
      "{ type: 'anonymous', oidc: { issuer: 'https://a.example', audience: 'a', clientId: 'c' } }",
    ],
  },
  ConfigAuthz: { accepts: ["{ type: 'none' }", "{ type: 'cedar', policies: [] }"], refuses: ["{ type: 'cedar' }"] },
  OutgoingStrategy: {
    accepts: [
      "{ type: 'unauthenticated' }",
      "{ type: 'token_exchange', tokenExchange: { tokenUrl: 'https://a.example' } }",
    ],
    refuses: [
      "{ type: 'token_exchange' }",
      "{ type: 'unauthenticated', tokenExchange: { tokenUrl: 'https://a.example' } }",
      "{ type: 'aws_sts' }",
      "{ type: 'header_injection' }",
      "{ type: 'upstream_inject' }",
      "{ type: 'obo' }",
      "{ type: 'xaa' }",
    ],
  },
  HeaderInjectionStrategy: {
    accepts: ["{ headerName: 'h', headerValueEnv: 'E' }", "{ headerName: 'h', headerValue: 'v' }"],
    refuses: ["{ headerName: 'h' }", "{ headerName: 'h', headerValueEnv: 'E', headerValue: 'v' }"],
  },
  OboStrategy: {
    accepts: ["{ tokenUrl: 'https://a.example', clientSecretEnv: 'E' }", "{ tokenUrl: 'https://a.example' }"],
    refuses: ["{ tokenUrl: 'https://a.example', clientSecretEnv: 'E', clientSecret: 's' }"],
  },
  OptimizerConfig: {
    accepts: ["{ embeddingProvider: 'openai', embeddingHeaders: { a: 'b' } }", '{}'],
    refuses: ["{ embeddingHeaders: { a: 'b' } }", "{ embeddingProvider: 'tei', embeddingHeaders: { a: 'b' } }"],
  },
};
