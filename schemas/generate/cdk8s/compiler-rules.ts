/**
 * Rules that the compiler enforces and the CRDs do not contain, because the CRDs must still admit manifests of the reference project. They
 * are written in CEL as well, by the title of the object.
 */
export const COMPILER_RULES: { readonly [title: string]: readonly string[] } = {
  AggregationConfig: ["self.conflictResolution != 'priority' || has(self.conflictResolutionConfig)"],
  AuthServerStorage: ["(self.type == 'redis') == has(self.redis)"],
  RedisSentinel: ['has(self.sentinelAddrs) != has(self.sentinelService)'],
  BackendAuth: ["(self.type == 'externalAuthConfigRef') == has(self.externalAuthConfigRef)"],
  ConfigIncomingAuth: ["(self.type == 'oidc') == has(self.oidc)"],
  ConfigAuthz: ["self.type != 'cedar' || has(self.policies)"],
  OutgoingStrategy: [
    "(self.type == 'header_injection') == has(self.headerInjection)",
    "(self.type == 'token_exchange') == has(self.tokenExchange)",
    "(self.type == 'upstream_inject') == has(self.upstreamInject)",
    "(self.type == 'aws_sts') == has(self.awsSts)",
    "(self.type == 'obo') == has(self.obo)",
    "(self.type == 'xaa') == has(self.xaa)",
  ],
  HeaderInjectionStrategy: ['has(self.headerValue) != has(self.headerValueEnv)'],
  OboStrategy: ['!(has(self.clientSecret) && has(self.clientSecretEnv))'],
  CompositeStep: [
    "(self.type == 'tool') == has(self.tool)",
    "self.type == 'tool' || !has(self.arguments)",
    "(self.type == 'elicitation') == has(self.message)",
    "(self.type == 'elicitation') == has(self.schema)",
    "self.type == 'elicitation' || !(has(self.onDecline) || has(self.onCancel))",
    "(self.type == 'forEach') == has(self.collection)",
    "(self.type == 'forEach') == has(self.step)",
    "self.type == 'forEach' || !(has(self.itemVar) || has(self.maxParallel) || has(self.maxIterations))",
  ],
  CompositeInnerStep: ['has(self.tool)'],
};
