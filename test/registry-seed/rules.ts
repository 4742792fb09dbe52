/** Each requirement for the authentication of a registry server, and the tests that prove it. */

/** A test by its name as written, and the row of its table where one is meant. */
export interface Proof {
  /** The path of the test file from the root of the repository. */
  readonly file: string;
  readonly test: string;
  readonly row?: string;
}

export interface SeedRule {
  readonly section: string;
  /** The requirement in short. */
  readonly rule: string;
  readonly proofs: readonly [Proof, ...Proof[]];
}

type Reference = readonly [file: string, test: string, row?: string];

const door = (file: string) => `test/runtime/registry-door/${file}.test.ts`;
const rules = (file: string) => `test/compiler/rules/registry/${file}.test.ts`;
const incoming = (file: string) => `test/runtime/auth/incoming/${file}.test.ts`;

const SCHEMA = 'test/compiler/registry/schema.test.ts';
const LOWERING = 'test/compiler/registry/lowering.test.ts';
/** The file with the attacks, which `attacks.test.ts` runs against the registry server. */
const ATTACKS = 'test/runtime/auth/attacks/suite.ts';
const SERVED = 'test/e2e/registry/anonymous.test.ts';
const INTERNAL = 'a registry server answers %s on its internal address, and not on its main address';
const MODES = door('modes');
const ENDPOINTS = door('endpoints');
const TOKENS = door('bearer-tokens');
const CLUSTER = door('cluster-provider');
const DISCOVERY = door('discovery');
const CHALLENGE = 'the challenge > a request gets 401 with a link to the metadata: %s';
const HEADER =
  'rule 1: Authorization: Bearer <ACCESS_TOKEN> > the registry server reads the token of an Authorization header %s';
const CHECKED = 'rule 4: the checks of every token >';
const CHANGED = 'the compiler refuses a registry configuration with %s set to %j';
const PROVIDER = 'the bundle of a registry server has the provider settings "%s"';

const TABLE: readonly (readonly [section: string, rule: string, ...proofs: [Reference, ...Reference[]]])[] = [
  [
    'modes',
    'oauth: callers present tokens, and the server validates them',
    [MODES, 'oauth > oauth: callers present access tokens, and the registry server validates the tokens'],
  ],
  [
    'modes',
    'anonymous: no authentication, every endpoint is open',
    [MODES, 'anonymous > anonymous: the endpoint %s is open for requests with any Authorization header'],
    [LOWERING, 'an anonymous registry server has public routes only, and its oauth settings have no effect'],
  ],
  [
    'modes',
    'oauth without an explicit auth configuration',
    [MODES, 'oauth > without a section auth the mode is oauth, and the missing settings of oauth are an error'],
    [SCHEMA, CHANGED, 'auth'],
  ],

  [
    'auth',
    'mode: one of oauth and anonymous, oauth by default',
    [MODES, 'oauth > oauth is the mode when the configuration names no mode'],
    [SCHEMA, CHANGED, 'auth.mode'],
  ],
  [
    'auth',
    'oauth: required when the mode is oauth',
    [
      rules('oauth-section'),
      'the rule oauthSection gives the expected findings for: %s',
      'mode oauth without the oauth section',
    ],
    [
      rules('oauth-section'),
      'the rule oauthSection gives the expected findings for: %s',
      'the default mode without the oauth section',
    ],
  ],

  [
    'auth.oauth',
    'resourceUrl: required, a URL',
    [SCHEMA, CHANGED, 'auth.oauth.resourceUrl'],
    [rules('resource-url'), 'the rule resourceUrl gives the expected findings for: %s', 'r.example.com'],
  ],
  [
    'auth.oauth',
    'realm: mcp-registry by default',
    [DISCOVERY, 'the challenge > the challenge of the registry server has the configured realm'],
    [DISCOVERY, CHALLENGE, 'no token'],
    [SCHEMA, CHANGED, 'auth.oauth.realm'],
  ],
  [
    'auth.oauth',
    'publicPaths: a list, empty by default',
    [LOWERING, 'the bundle of a registry server says of every route whether it needs a token'],
    [SCHEMA, CHANGED, 'auth.oauth.publicPaths'],
  ],
  ['auth.oauth', 'providers: required, at least one', [SCHEMA, CHANGED, 'auth.oauth.providers']],

  [
    'provider',
    'name: required, used in logs',
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.name'],
    [
      incoming('refusal-log'),
      'one authenticator > the log names each provider that was tried for a token, in order, with the reason of its refusal',
    ],
  ],
  [
    'provider',
    'issuerUrl: required, a URL',
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.issuerUrl'],
    [
      rules('provider-urls'),
      'the rule providerUrls gives the expected findings for: %s',
      'issuerUrl: a.example.com, audience: r',
    ],
  ],
  ['provider', 'audience: required', [SCHEMA, CHANGED, 'auth.oauth.providers.0.audience']],
  [
    'provider',
    'jwksUrl: discovery is skipped',
    [TOKENS, 'rule 6: keys > the registry server fetches keys from jwksUrl, and then needs no discovery document'],
    [LOWERING, PROVIDER, ', jwksUrl: https://k.example.com'],
  ],
  [
    'provider',
    'introspectionUrl: opaque tokens are looked up',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, as the server decides > the registry server introspects an opaque token with the client secret in clientSecretFile, and only once for two requests',
    ],
    [LOWERING, PROVIDER, ', introspectionUrl: https://i.example.com'],
  ],
  [
    'provider',
    'clientId and clientSecretFile: authenticated introspection',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, as the server decides > the registry server introspects an opaque token with the client secret in clientSecretFile, and only once for two requests',
    ],
    [
      rules('introspection-client'),
      'the rule introspectionClient gives the expected findings for: %s',
      ', clientId: c',
    ],
    [
      rules('introspection-client'),
      'the rule introspectionClient gives the expected findings for: %s',
      ', clientSecretFile: /s',
    ],
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.clientSecretFile'],
  ],
  [
    'provider',
    'caCertPath: for TLS to the provider',
    [
      TOKENS,
      'rule 7: connections to a provider > to a provider with a private certificate authority, the registry server connects only if caCertPath has this authority',
    ],
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.caCertPath'],
  ],
  [
    'provider',
    'authTokenFile: a token for keys and introspection',
    [
      TOKENS,
      'rule 7: connections to a provider > the registry server sends the current token in authTokenFile with each request for keys',
    ],
    [LOWERING, PROVIDER, ', introspectionUrl: https://i.example.com, authTokenFile: /t'],
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.authTokenFile'],
  ],
  [
    'provider',
    'allowPrivateIP: private addresses, otherwise refused',
    [
      TOKENS,
      'rule 7: connections to a provider > the registry server does not connect to private addresses of a provider unless allowPrivateIP is set',
    ],
    [rules('provider-addresses'), 'the rule providerAddresses gives the expected findings for: %s'],
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.allowPrivateIP'],
  ],
  [
    'provider',
    'every field changes the bundle, or a finding names it',
    [
      'test/compiler/registry/every-field.test.ts',
      'every field of RegistryConfig > the compiler reads the RegistryConfig field %s into the bundle, or reports it',
    ],
  ],

  [
    'discovery document',
    'resource, authorization_servers, bearer_methods_supported, resource_documentation',
    [
      DISCOVERY,
      'the discovery document > the metadata of the protected resource has exactly four fields, among them authorization_servers',
    ],
    [LOWERING, 'the registry server with the resourceUrl %s serves its metadata at %s'],
  ],

  [
    'endpoints',
    'GET /.well-known/oauth-protected-resource: public',
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > a request to the registry server for the metadata of the protected resource needs no token',
    ],
  ],
  [
    'endpoints',
    'any method at /openapi.json: public',
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > a request to the registry server for the description of its API needs no token',
    ],
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > the registry server answers a %s request for the description of its API with 405, and reads no body',
    ],
  ],
  [
    'endpoints',
    'GET /.well-known/*: public',
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > the registry server answers 404 without a token at %s, which does not exist',
      '/.well-known/openid-configuration',
    ],
  ],
  [
    'endpoints',
    'GET /registry/<segment>/v0.1/servers: with a bearer token',
    [ENDPOINTS, 'the listing > GET %s needs a token'],
    [DISCOVERY, CHALLENGE, 'no token'],
  ],
  [
    'endpoints',
    'rule 1: the description and /.well-known/ without authentication in every mode',
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > a request to the registry server for the metadata of the protected resource needs no token',
    ],
    [MODES, 'anonymous > anonymous: the endpoint %s is open for requests with any Authorization header'],
  ],
  [
    'endpoints',
    'rule 2: health, readiness and version on the internal address, and not on the main one',
    [
      ENDPOINTS,
      'rule 2: health, readiness and version are not on this address > the registry server does not serve %s at the address for clients',
      '/health',
    ],
    [SERVED, INTERNAL, '/health'],
    [SERVED, INTERNAL, '/readiness'],
    [SERVED, INTERNAL, '/version'],
  ],
  [
    'endpoints',
    'rule 3: more public paths',
    [ENDPOINTS, 'rule 3: configured public paths need no token > a request to the public path %s needs no token'],
    [rules('public-paths'), 'the rule publicPaths gives the expected findings for: %s', '/registry'],
    [door('public-paths'), 'a missing route below a public path > %s is not below a public path, and needs a token'],
  ],
  [
    'endpoints',
    'rule 4: everything is open in anonymous mode',
    [MODES, 'anonymous > anonymous: the endpoint %s is open for requests with any Authorization header'],
    [MODES, 'anonymous > anonymous: every client sees all sources of a registry'],
  ],

  [
    'bearer tokens',
    '1: Authorization: Bearer <ACCESS_TOKEN>, without more white space and without quotation marks',
    [TOKENS, HEADER, 'in quotation marks'],
    [TOKENS, HEADER, 'with extra white space within'],
    [
      TOKENS,
      'rule 1: Authorization: Bearer <ACCESS_TOKEN> > the registry server reads a token only in the Authorization header',
    ],
  ],
  [
    'bearer tokens',
    '2: JWT by the keys of the provider, opaque by introspection (RFC 7662)',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, as the server decides > the registry server does not introspect a JWT signed with %s',
    ],
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, as the server decides > the registry server refuses opaque tokens without introspectionUrl',
    ],
  ],
  [
    'bearer tokens',
    '3: JWT first, then introspection',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, as the server decides > the registry server introspects an opaque token with the client secret in clientSecretFile, and only once for two requests',
    ],
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, as the server decides > the registry server does not introspect a JWT that fails its checks',
    ],
  ],
  [
    'bearer tokens',
    '4: expiry',
    [
      TOKENS,
      `${CHECKED} the registry server refuses an expired JWT, and an opaque token whose introspection says that it has expired`,
    ],
    [DISCOVERY, CHALLENGE, 'an expired token'],
  ],
  [
    'bearer tokens',
    '4: audience',
    [TOKENS, `${CHECKED} the registry server checks the audience of a token: %s`, 'another audience'],
    [TOKENS, `${CHECKED} the registry server checks the audience of a token: %s`, 'the right audience with a slash'],
  ],
  [
    'bearer tokens',
    '4: issuer, byte for byte',
    [
      TOKENS,
      `${CHECKED} the registry server compares the issuer of a token byte for byte, and refuses an issuer with %s`,
    ],
    [
      TOKENS,
      `${CHECKED} the registry server accepts the issuer of a token as it is configured, also with a slash at the end`,
    ],
  ],
  [
    'bearer tokens',
    '4: signature',
    [TOKENS, `${CHECKED} the registry server refuses a token whose claims do not match its signature`],
    [ATTACKS, 'callers > the server refuses an invalid token: %s'],
  ],
  [
    'bearer tokens',
    '5: providers in order, the first that accepts wins',
    [
      TOKENS,
      'rule 5: several providers > the registry server asks the providers about an opaque token in their configured order, and logs which providers refused it',
    ],
    [
      TOKENS,
      'rule 5: several providers > of several providers of one issuer, the registry server uses the first one whose audience the token has',
    ],
  ],
  [
    'bearer tokens',
    '6: keys by discovery unless jwksUrl is set',
    [TOKENS, 'rule 6: keys > the registry server fetches keys from the URL in the discovery document'],
    [TOKENS, 'rule 6: keys > the registry server fetches keys from jwksUrl, and then needs no discovery document'],
  ],
  [
    'bearer tokens',
    '7: CA, token for keys, client for introspection, private addresses',
    [
      TOKENS,
      'rule 7: connections to a provider > to a provider with a private certificate authority, the registry server connects only if caCertPath has this authority',
    ],
    [
      TOKENS,
      'rule 7: connections to a provider > the registry server sends the current token in authTokenFile with each request for keys',
    ],
    [
      TOKENS,
      'rule 7: connections to a provider > the registry server does not connect to private addresses of a provider unless allowPrivateIP is set',
    ],
  ],

  [
    'cluster provider',
    'the issuer is that of the tokens',
    [CLUSTER, 'the registry server refuses a cluster token %s', 'of another cluster'],
  ],
  [
    'cluster provider',
    'jwksUrl is set, and discovery is skipped',
    [CLUSTER, 'the registry server accepts a projected token of the right audience, and requests only jwksUrl'],
    [rules('incomplete-cluster-provider'), 'the rule incompleteClusterProvider gives the expected findings for: %s'],
  ],
  [
    'cluster provider',
    'only tokens of the requested audience',
    [CLUSTER, 'the registry server refuses a cluster token %s', 'for the audience of the API server'],
    [rules('audience-of-the-cluster'), 'the rule audienceOfTheCluster gives the expected findings for: %s'],
  ],
  [
    'cluster provider',
    'CA and token files, and private addresses',
    [
      CLUSTER,
      'the registry server accepts no token of a provider that is configured %s, and the log has the cause',
      'without the token for keys',
    ],
    [
      CLUSTER,
      'the registry server accepts no token of a provider that is configured %s, and the log has the cause',
      'without the certificate authority',
    ],
    [CLUSTER, 'the registry server makes no connection to the cluster without allowPrivateIP'],
  ],

  [
    'discovery and challenge',
    'metadata of the protected resource (RFC 9728)',
    [
      DISCOVERY,
      'the discovery document > the metadata of the resource %s are at the path of RFC 9728, section 3.1, and challenges link to them',
    ],
    [incoming('resource-metadata'), '%s > pages of any origin can GET the metadata of the protected resource'],
  ],
  ['discovery and challenge', 'WWW-Authenticate links to it', [DISCOVERY, CHALLENGE, 'no token']],

  [
    'recommendations',
    'HTTPS for issuer and resource',
    [
      rules('provider-urls'),
      'the rule providerUrls gives the expected findings for: %s',
      'issuerUrl: http://a.example.com, audience: r',
    ],
    [rules('resource-url'), 'the rule resourceUrl gives the expected findings for: %s', 'http://r.example.com'],
  ],
  [
    'recommendations',
    'no token in logs',
    [
      CLUSTER,
      'with each request for keys of the cluster, the registry server sends the current token in the token file',
    ],
    [
      incoming('refusal-log'),
      'one authenticator > the log names each provider that was tried for a token, in order, with the reason of its refusal',
    ],
  ],
  [
    'recommendations',
    'client secrets rotate',
    [
      TOKENS,
      'rule 7: connections to a provider > the registry server reads clientSecretFile again when the file was replaced',
    ],
  ],

  ['errors', '401 for a malformed header', [DISCOVERY, CHALLENGE, 'a malformed header']],
  ['errors', '401 for another issuer', [DISCOVERY, CHALLENGE, 'another issuer']],
  ['errors', '401 for another audience', [DISCOVERY, CHALLENGE, 'another audience']],
  ['errors', '401 for an expired token', [DISCOVERY, CHALLENGE, 'an expired token']],
  ['errors', '401 for a failed signature', [DISCOVERY, CHALLENGE, 'a failed signature']],
  [
    'errors',
    '401 for a failed introspection',
    [DISCOVERY, 'the challenge > a request with a token that fails introspection gets 401 with a challenge'],
  ],
  [
    'errors',
    'a failed fetch of keys or discovery is logged with its cause',
    [
      DISCOVERY,
      'an unavailable provider > a request with a token of an unavailable provider gets 503 and a challenge without an error, and the log has the cause',
    ],
    [CLUSTER, 'the registry server accepts no token of a provider that is configured %s, and the log has the cause'],
  ],
  [
    'errors',
    'the log says which provider was tried and why it failed',
    [
      incoming('refusal-log'),
      'one authenticator > the log names each provider that was tried for a token, in order, with the reason of its refusal',
    ],
  ],

  [
    'limits',
    'the internal address has port 8081 by default',
    ['test/pins/names.test.ts', 'the public name or number is the pinned one: %s', 'internal port'],
  ],
  ['limits', 'realm mcp-registry by default', [DISCOVERY, CHALLENGE, 'no token']],
  ['versioning', '/version on the internal address', [SERVED, INTERNAL, '/version']],
  ['versioning', 'the listing has a segment v0.1', [ENDPOINTS, 'the listing > GET %s needs a token']],
];

export const SEED_RULES: readonly SeedRule[] = TABLE.map(([section, rule, first, ...more]) => {
  return { section, rule, proofs: [proofOf(first), ...more.map(proofOf)] };
});

function proofOf([file, test, row]: Reference): Proof {
  return row === undefined ? { file, test } : { file, test, row };
}
