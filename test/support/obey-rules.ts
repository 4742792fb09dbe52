/** Adds to samples what the rules between fields demand. Samples only have required fields, so they may violate such rules. */
import type { Diagnostic, SourceText } from '#compiler';
import type { StructuralSchema } from '#schemas';
import { checkRules, type RuleFindings } from '../../compiler/check/cel/check-rules.ts';
import { withDefaults } from '../../compiler/check/defaults.ts';
import { buildSample, type Path } from './sample.ts';

type Fields = Record<string, unknown>;
/** Changes a rule's object so that the rule holds. */
type Repair = (self: Fields, schema: StructuralSchema) => void;

/** The findings of the rules about a spec, wherever it may be written; pointers start with `/spec`. */
export function ruleFindings(schema: StructuralSchema, spec: unknown): RuleFindings {
  const start = { line: 1, column: 1, offset: 0 };
  const object = { apiVersion: '', kind: 'Sample', namespace: 'default', name: 'sample' };
  const doc = {
    file: 'sample',
    index: 0,
    value: {},
    source: {} as SourceText,
    caveats: [],
    locate: () => ({ start, end: start }),
  };
  return checkRules({ doc, object, group: '', version: '', ...object }, schema, withDefaults(schema, spec), ['spec']);
}

/**
 * The spec with what its rules demand.
 *
 * @param except this path, and what is below it, is unchanged
 */
export function obeyingRules(schema: StructuralSchema, spec: unknown, except?: Path): unknown {
  const result = structuredClone(spec);
  const left = new Set<string>();
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const found = ruleFindings(schema, result).diagnostics.find(({ pointer, message }) => {
      const path = stepsOf(pointer);
      const excepted = except?.every((step, index) => String(step) === path[index]) === true;
      return !excepted && !left.has(`${pointer} ${message}`) && REPAIRS[message] !== undefined;
    });
    if (found === undefined) return result;
    left.add(`${found.pointer} ${found.message}`);
    repair(schema, result, found);
  }
  return result;
}

function repair(root: StructuralSchema, spec: unknown, { pointer, message }: Diagnostic): void {
  let schema = root;
  let self = spec as Fields;
  for (const step of stepsOf(pointer)) {
    schema = (Array.isArray(self) ? schema.items : (schema.properties?.[step] ?? schema.additionalProperties)) ?? {};
    self = self[step] as Fields;
  }
  REPAIRS[message]?.(self, schema);
}

/** The steps of a pointer below the spec. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(2)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A valid value of one field of an object. */
export function sampleField(schema: StructuralSchema, name: string): unknown {
  const field = schema.properties?.[name] ?? {};
  return obeyingRules(field, buildSample(field));
}

/** Sets the type of a union by the settings that are present; without any, adds the settings of the type. */
function union(types: Readonly<Record<string, string>>): Repair {
  return (self, schema) => {
    const [type] = Object.entries(types).find(([, field]) => self[field] !== undefined) ?? [];
    if (type !== undefined) self.type = type;
    else {
      const field = types[String(self.type)] as string;
      self[field] = sampleField(schema, field);
    }
  };
}

function adds(...names: readonly string[]): Repair {
  return (self, schema) => {
    for (const name of names) self[name] ??= sampleField(schema, name);
  };
}

function sets(fields: Fields): Repair {
  return self => {
    Object.assign(self, fields);
  };
}

const REDIS = { provider: 'redis', address: 'redis.test:6379' };
const OIDC = { type: 'oidc', oidcConfigRef: { name: 'sample', audience: 'sample' } };

const same = (...names: readonly string[]) => Object.fromEntries(names.map(name => [name, name]));
const EXTERNAL_AUTH = union(
  same(
    'tokenExchange',
    'headerInjection',
    'bearerToken',
    'embeddedAuthServer',
    'awsSts',
    'upstreamInject',
    'obo',
    'xaa',
  ),
);
const OIDC_CONFIG = union(same('kubernetesServiceAccount', 'inline'));
const AUTHZ = union(same('configMap', 'inline'));
const mustBePresent = (names: readonly string[], by: Repair, prefix = ''): Record<string, Repair> =>
  Object.fromEntries(
    names.map(name => [`${prefix}${name} must be present when type is '${name}' and absent otherwise`, by]),
  );

/** The repairs, by the message of the rule that demands them. */
const REPAIRS: Readonly<Record<string, Repair>> = {
  'give image, which runs in the cluster, or command, which runs on this machine; with both, command is a program of the image':
    self => {
      self.image = 'sample';
    },
  "a command speaks over its standard streams: set transport to 'stdio', or leave it out": sets({ transport: 'stdio' }),
  'workingDir and process are those of a command: set command, or remove them': self => {
    self.command = 'sample';
    delete self.image;
  },
  'interval must be 10s or more': self => {
    self.interval = '70s';
  },
  ...mustBePresent(
    ['tokenExchange', 'headerInjection', 'bearerToken', 'embeddedAuthServer', 'awsSts', 'upstreamInject', 'obo', 'xaa'],
    EXTERNAL_AUTH,
  ),
  ...mustBePresent(['kubernetesServiceAccount', 'inline'], OIDC_CONFIG),
  "neither spec.incomingAuth nor spec.config.incomingAuth is set: set one of them, with type 'anonymous' if clients need no credentials":
    sets({ incomingAuth: { type: 'anonymous' } }),
  ...mustBePresent(['configMap', 'inline'], AUTHZ, 'authzConfig.'),
  "set oidcConfig alone when type is 'oidc', and oauth2Config alone when type is 'oauth2'": union({
    oidc: 'oidcConfig',
    oauth2: 'oauth2Config',
  }),
  'set either clientId or dcrConfig, not both and not neither': sets({ clientId: 'sample' }),
  'set either discoveryUrl or registrationEndpoint, not both and not neither': sets({
    discoveryUrl: 'https://sample.example.com',
  }),
  'set either addr or sentinelConfig, not both and not neither': sets({ addr: 'redis.test:6379' }),
  'delegateClients need an issuer that starts with https://': sets({ issuer: 'https://sample.example.com' }),
  'forceConfidentialRedirectUris has no effect unless allowConfidentialClientRegistration is true': sets({
    allowConfidentialClientRegistration: true,
  }),
  'allowPrivateIPs needs an explicit jwksUrl': sets({ jwksUrl: 'https://sample.example.com' }),
  'expectedAudience is missing: only an issuer with nothing but jwtBearerGrant can do without it': sets({
    expectedAudience: 'sample',
  }),
  'allowedDelegateClients is missing: it says who may use expectedAudience, actorClaim, actorMatcher or allowMayAct':
    sets({ allowedDelegateClients: ['sample'] }),
  "sessionStorage.address is missing: set host:port of the server, or sentinelConfig, when provider is 'redis'":
    sets(REDIS),
  'sessionStorage.address cannot be combined with sentinelConfig: the sentinels name the server': sets({
    address: undefined,
  }),
  'sessionStorage.clusterMode cannot be combined with sentinelConfig: a cluster has no sentinels': sets({
    clusterMode: undefined,
  }),
  "rateLimiting keeps its counters in Redis: set sessionStorage with provider 'redis'": sets({ sessionStorage: REDIS }),
  "replicas share the counters of config.rateLimiting in Redis: set spec.sessionStorage with provider 'redis', or spec.replicas to 1":
    sets({ sessionStorage: REDIS }),
  "config.rateLimiting.perUser needs to know the caller: set incomingAuth.type to 'oidc'": sets({ incomingAuth: OIDC }),
  "perUser in config.rateLimiting.tools needs to know the caller: set incomingAuth.type to 'oidc'": sets({
    incomingAuth: OIDC,
  }),
  'rateLimiting.perUser needs to know the caller: set oidcConfigRef or externalAuthConfigRef': adds('oidcConfigRef'),
  'perUser in rateLimiting.tools needs to know the caller: set oidcConfigRef or externalAuthConfigRef':
    adds('oidcConfigRef'),
  'rateLimiting limits nothing: set shared, perUser or at least one entry of tools': adds('shared'),
  'this tool has no limit: set shared, perUser or both': adds('shared'),
  "incomingAuth.oidcConfigRef is missing: type 'oidc' needs an MCPOIDCConfig to validate tokens with":
    adds('oidcConfigRef'),
  "embeddingHeaders are sent only when embeddingProvider is 'openai'": sets({ embeddingProvider: 'openai' }),
};
