/** Each requirement for the authentication of a registry server, and the tests that prove it. */

/** A test by its name as written, and the row of its table where one is meant. */
export interface Proof {
  /** From the root of the repository. */
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
/** Run by `attacks.test.ts` against the registry server. */
const ATTACKS = 'test/runtime/auth/attacks/suite.ts';
const SERVED = 'test/e2e/registry/anonymous.test.ts';
const INTERNAL = 'a registry server answers %s on its internal address, and not on its main address';
const MODES = door('modes');
const ENDPOINTS = door('endpoints');
const TOKENS = door('bearer-tokens');
const CLUSTER = door('cluster-provider');
const DISCOVERY = door('discovery');
const CHALLENGE = 'the challenge > %s: 401, with a link to the discovery document';
const HEADER = 'rule 1: Authorization: Bearer <ACCESS_TOKEN> > %s';
const CHECKED = 'rule 4: every token is checked for >';
const CHANGED = 'the compiler refuses a registry configuration with %s set to %j';
const PROVIDER = 'the bundle of a registry server has the provider settings "%s"';

const TABLE: readonly (readonly [section: string, rule: string, ...proofs: [Reference, ...Reference[]]])[] = [
  [
    'modes',
    'oauth: callers present tokens, and the server validates them',
    [MODES, 'oauth > callers present access tokens, which the server validates'],
  ],
  [
    'modes',
    'anonymous: no authentication, every endpoint is open',
    [MODES, 'anonymous > rule 4: every endpoint is open, %s too, and whatever the Authorization header has'],
    [LOWERING, 'an anonymous registry server has public routes only, and its oauth settings have no effect'],
  ],
  [
    'modes',
    'oauth without an explicit auth configuration',
    [MODES, 'oauth > is the mode without a section auth, which then lacks its settings'],
    [SCHEMA, CHANGED, 'auth'],
  ],

  [
    'auth',
    'mode: one of oauth and anonymous, oauth by default',
    [MODES, 'oauth > is the mode when none is written'],
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
    [DISCOVERY, 'the challenge > has the configured realm'],
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
      'one authenticator > names each provider that was tried, in order, with the reason of its refusal',
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
    [TOKENS, 'rule 6: keys are > at jwksUrl, and then nothing is discovered'],
    [LOWERING, PROVIDER, ', jwksUrl: https://k.example.com'],
  ],
  [
    'provider',
    'introspectionUrl: opaque tokens are looked up',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, told apart by the server > an opaque token is introspected once for a while, by the credentials of the file',
    ],
    [LOWERING, PROVIDER, ', introspectionUrl: https://i.example.com'],
  ],
  [
    'provider',
    'clientId and clientSecretFile: authenticated introspection',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, told apart by the server > an opaque token is introspected once for a while, by the credentials of the file',
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
    [TOKENS, 'rule 7: connections to a provider > trust the authority of caCertPath, and no other'],
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.caCertPath'],
  ],
  [
    'provider',
    'authTokenFile: a token for keys and introspection',
    [TOKENS, 'rule 7: connections to a provider > authTokenFile goes with requests for keys, in its value of now'],
    [LOWERING, PROVIDER, ', introspectionUrl: https://i.example.com, authTokenFile: /t'],
    [SCHEMA, CHANGED, 'auth.oauth.providers.0.authTokenFile'],
  ],
  [
    'provider',
    'allowPrivateIP: private addresses, otherwise refused',
    [TOKENS, 'rule 7: connections to a provider > do not reach private addresses unless allowPrivateIP is set'],
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
    [DISCOVERY, 'the discovery document > has all four fields'],
    [LOWERING, 'the registry server with the resourceUrl %s serves its metadata at %s'],
  ],

  [
    'endpoints',
    'GET /.well-known/oauth-protected-resource: public',
    [ENDPOINTS, 'rule 1: the description and everything under /.well-known/ need no token > the metadata'],
  ],
  [
    'endpoints',
    'any method at /openapi.json: public',
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > the description of the API',
    ],
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > %s: any method is answered, and reads nothing',
    ],
  ],
  [
    'endpoints',
    'GET /.well-known/*: public',
    [
      ENDPOINTS,
      'rule 1: the description and everything under /.well-known/ need no token > %s, which is not there',
      '/.well-known/openid-configuration',
    ],
  ],
  [
    'endpoints',
    'GET /registry/<segment>/v0.1/servers: with a bearer token',
    [ENDPOINTS, 'the listing > GET %s by a bearer token'],
    [DISCOVERY, CHALLENGE, 'no token'],
  ],
  [
    'endpoints',
    'rule 1: the description and /.well-known/ without authentication in every mode',
    [ENDPOINTS, 'rule 1: the description and everything under /.well-known/ need no token > the metadata'],
    [MODES, 'anonymous > rule 4: every endpoint is open, %s too, and whatever the Authorization header has'],
  ],
  [
    'endpoints',
    'rule 2: health, readiness and version on the internal address, and not on the main one',
    [ENDPOINTS, 'rule 2: health, readiness and version are not on this address > %s', '/health'],
    [SERVED, INTERNAL, '/health'],
    [SERVED, INTERNAL, '/readiness'],
    [SERVED, INTERNAL, '/version'],
  ],
  [
    'endpoints',
    'rule 3: more public paths',
    [ENDPOINTS, 'rule 3: configured public paths need no token > %s'],
    [rules('public-paths'), 'the rule publicPaths gives the expected findings for: %s', '/registry'],
    [door('public-paths'), 'below a public path, where there is nothing > %s is not below one'],
  ],
  [
    'endpoints',
    'rule 4: everything is open in anonymous mode',
    [MODES, 'anonymous > rule 4: every endpoint is open, %s too, and whatever the Authorization header has'],
    [MODES, 'anonymous > there are no claims to be asked for: all sources are shown'],
  ],

  [
    'bearer tokens',
    '1: Authorization: Bearer <ACCESS_TOKEN>, without more white space and without quotation marks',
    [TOKENS, HEADER, 'in quotation marks'],
    [TOKENS, HEADER, 'with extra white space within'],
    [TOKENS, 'rule 1: Authorization: Bearer <ACCESS_TOKEN> > is the only place where a token is read'],
  ],
  [
    'bearer tokens',
    '2: JWT by the keys of the provider, opaque by introspection (RFC 7662)',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, told apart by the server > a JWT signed with %s is not introspected',
    ],
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, told apart by the server > without introspectionUrl, opaque tokens are none',
    ],
  ],
  [
    'bearer tokens',
    '3: JWT first, then introspection',
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, told apart by the server > an opaque token is introspected once for a while, by the credentials of the file',
    ],
    [
      TOKENS,
      'rules 2 and 3: JWT by keys, opaque tokens by introspection, told apart by the server > a JWT that fails its checks is not tried as an opaque token',
    ],
  ],
  [
    'bearer tokens',
    '4: expiry',
    [TOKENS, `${CHECKED} its end, which of an opaque token the provider tells`],
    [DISCOVERY, CHALLENGE, 'an expired token'],
  ],
  [
    'bearer tokens',
    '4: audience',
    [TOKENS, `${CHECKED} %s`, 'its audience'],
    [TOKENS, `${CHECKED} %s`, 'its audience, which a slash changes'],
  ],
  [
    'bearer tokens',
    '4: issuer, byte for byte',
    [TOKENS, `${CHECKED} its issuer byte for byte: %s is another one`],
    [TOKENS, `${CHECKED} its issuer as it is configured, with a slash at the end as well`],
  ],
  ['bearer tokens', '4: signature', [TOKENS, `${CHECKED} its signature`], [ATTACKS, 'callers > are refused with %s']],
  [
    'bearer tokens',
    '5: providers in order, the first that accepts wins',
    [
      TOKENS,
      'rule 5: several providers > are asked about an opaque token in order, until one accepts it, and the log tells who said no when none does',
    ],
    [TOKENS, 'rule 5: several providers > of one issuer differ by audience, and the first that accepts wins'],
  ],
  [
    'bearer tokens',
    '6: keys by discovery unless jwksUrl is set',
    [TOKENS, 'rule 6: keys are > where the discovery document says'],
    [TOKENS, 'rule 6: keys are > at jwksUrl, and then nothing is discovered'],
  ],
  [
    'bearer tokens',
    '7: CA, token for keys, client for introspection, private addresses',
    [TOKENS, 'rule 7: connections to a provider > trust the authority of caCertPath, and no other'],
    [TOKENS, 'rule 7: connections to a provider > authTokenFile goes with requests for keys, in its value of now'],
    [TOKENS, 'rule 7: connections to a provider > do not reach private addresses unless allowPrivateIP is set'],
  ],

  ['cluster provider', 'the issuer is that of the tokens', [CLUSTER, 'a token %s does not', 'of another cluster']],
  [
    'cluster provider',
    'jwksUrl is set, and discovery is skipped',
    [CLUSTER, 'a projected token of the right audience gets in, and jwksUrl alone is asked'],
    [rules('cluster-provider'), 'the rule clusterProvider gives the expected findings for: %s'],
  ],
  [
    'cluster provider',
    'only tokens of the requested audience',
    [CLUSTER, 'a token %s does not', 'of the audience of the API server'],
    [rules('provider-audience'), 'the rule providerAudience gives the expected findings for: %s'],
  ],
  [
    'cluster provider',
    'CA and token files, and private addresses',
    [CLUSTER, '%s, nobody can be let in, and the log says why', 'without the token for keys'],
    [CLUSTER, '%s, nobody can be let in, and the log says why', 'without the authority'],
    [CLUSTER, 'without leave for private addresses, no connection is made'],
  ],

  [
    'discovery and challenge',
    'metadata of the protected resource (RFC 9728)',
    [DISCOVERY, 'the discovery document > of %s is where RFC 9728, section 3.1, has it, and challenges link to it'],
    [incoming('resource-metadata'), '%s > is read with GET, from any page'],
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
    [CLUSTER, 'the token for the keys is the one that the file has now'],
    [
      incoming('refusal-log'),
      'one authenticator > names each provider that was tried, in order, with the reason of its refusal',
    ],
  ],
  [
    'recommendations',
    'client secrets rotate',
    [TOKENS, 'rule 7: connections to a provider > clientSecretFile is read again when it was replaced'],
  ],

  ['errors', '401 for a malformed header', [DISCOVERY, CHALLENGE, 'a malformed header']],
  ['errors', '401 for another issuer', [DISCOVERY, CHALLENGE, 'another issuer']],
  ['errors', '401 for another audience', [DISCOVERY, CHALLENGE, 'another audience']],
  ['errors', '401 for an expired token', [DISCOVERY, CHALLENGE, 'an expired token']],
  ['errors', '401 for a failed signature', [DISCOVERY, CHALLENGE, 'a failed signature']],
  ['errors', '401 for a failed introspection', [DISCOVERY, 'the challenge > a failed introspection check']],
  [
    'errors',
    'a failed fetch of keys or discovery is logged with its cause',
    [
      DISCOVERY,
      'a provider that cannot be reached > leaves open whether a token is good: 503 and a challenge without an error, with the cause in the log',
    ],
    [CLUSTER, '%s, nobody can be let in, and the log says why'],
  ],
  [
    'errors',
    'the log says which provider was tried and why it failed',
    [
      incoming('refusal-log'),
      'one authenticator > names each provider that was tried, in order, with the reason of its refusal',
    ],
  ],

  [
    'limits',
    'the internal address has port 8081 by default',
    ['test/pins/names.test.ts', 'the name or number does not change: %s', 'internal port'],
  ],
  ['limits', 'realm mcp-registry by default', [DISCOVERY, CHALLENGE, 'no token']],
  ['versioning', '/version on the internal address', [SERVED, INTERNAL, '/version']],
  ['versioning', 'the listing has a segment v0.1', [ENDPOINTS, 'the listing > GET %s by a bearer token']],
];

export const SEED_RULES: readonly SeedRule[] = TABLE.map(([section, rule, first, ...more]) => {
  return { section, rule, proofs: [proofOf(first), ...more.map(proofOf)] };
});

function proofOf([file, test, row]: Reference): Proof {
  return row === undefined ? { file, test } : { file, test, row };
}
