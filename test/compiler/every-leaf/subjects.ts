/** Every kind of object and file whose leaves the compiler reads, and for each leaf the smallest spec in which it can have an effect. */
import { stringify } from 'yaml';
import { type Compilation, compile, readTexts, SourceText } from '#compiler';
import { API_GROUP, FILE_SCHEMAS, KINDS_FILE, STORAGE_VERSION, type StructuralSchema } from '#schemas';
import { createCatalog } from '../../support/gateway-rule.ts';
import { obeyingRules } from '../../support/obey-rules.ts';
import { buildSample, listLeaves, type Path, withLeaf, withoutLeaf } from '../../support/sample.ts';
import { TEST_AUTHORITY } from '../../support/tls-fixture.ts';
import { compositeFor, SIGN_IN, specWith, storedSignIn, textWith } from '../every-field/gateway-specs.ts';
import { meaningfulValue, PERMIT } from './other-values.ts';
import { registryWith } from './registry-configs.ts';

export interface Subject {
  readonly kind: string;
  readonly schema: StructuralSchema;
  readonly leaves: readonly Path[];
  /** The kind, namespace and name of everything that must have a bundle before the leaf is changed. */
  served(path: Path): readonly string[];
  /** The smallest spec in which the leaf can have an effect. */
  specWith(path: Path): unknown;
  /** @param target where the gateway will run; undefined when unknown */
  compile(spec: unknown, path: Path, target?: 'pods'): Compilation;
}

const GATEWAY = 'VirtualMCPServer';
export const REGISTRY_FILE = 'RegistryConfig';

/** The kind that only the controller reads, and for which the compiler writes nothing. */
const OF_THE_CONTROLLER = 'GatewaySource';

const SERVED_GATEWAY = 'gateway/default/gateway';
const SERVED_REGISTRY = 'registry/default/sample';

const ISSUER = 'https://sample.example.com';

const SECRET = { name: 'keys', key: 'k' };
const TOKEN_URL = 'https://id.test/token';
const ROLE = 'arn:aws:iam::123456789012:role/sample';
const MAPPINGS = [
  { roleArn: ROLE, claim: 'a', priority: 1 },
  { roleArn: `${ROLE}-2`, claim: 'b', priority: 8 },
];

/** A block of each type of credential. */
const CREDENTIALS: { readonly [type: string]: object } = {
  tokenExchange: { tokenUrl: TOKEN_URL, audience: 'a', clientId: 'gw', clientSecretRef: SECRET },
  headerInjection: { headerName: 'X-Key', valueSecretRef: SECRET },
  bearerToken: { tokenSecretRef: SECRET },
  awsSts: { region: 'us-west-1', roleMappings: MAPPINGS },
  upstreamInject: { providerName: 'sample' },
  obo: { tenantId: 'corp', clientId: 'gw', audience: 'a', clientSecretRef: SECRET },
  xaa: {
    idpTokenUrl: TOKEN_URL,
    idpClientId: 'gw',
    idpClientSecretRef: SECRET,
    targetTokenUrl: TOKEN_URL,
    targetClientId: 'gw',
    targetClientSecretRef: SECRET,
    targetAudience: 'a',
  },
  embeddedAuthServer: SIGN_IN.authServerConfig,
};

const ENDPOINTS = {
  authorizationEndpoint: 'https://id.test/authorize',
  tokenEndpoint: TOKEN_URL,
  scopes: ['a'],
  userInfo: { endpointUrl: 'https://id.test/me' },
};

const MEMBER = { groupRef: { name: 'sample' } };
const DEMANDED = { oidcConfigRef: { name: 'sample', audience: 'https://one.test', resourceUrl: 'https://one.test' } };

/** The smallest object of each kind with an effect; all are called `sample`, and the gateway refers to them. */
const BASES: { readonly [kind: string]: object } = {
  MCPGroup: {},
  MCPOIDCConfig: { type: 'inline', inline: { issuer: ISSUER } },
  MCPServerEntry: {
    ...MEMBER,
    remoteUrl: 'https://remote.test/mcp',
    transport: 'streamable-http',
    externalAuthConfigRef: { name: 'sample' },
  },
  MCPExternalAuthConfig: { type: 'headerInjection', headerInjection: CREDENTIALS.headerInjection },
  MCPToolConfig: { toolsFilter: ['echo'] },
  MCPTelemetryConfig: {
    openTelemetry: {
      enabled: true,
      endpoint: 'https://otel.test',
      tracing: { enabled: true },
      metrics: { enabled: true },
    },
  },
  VirtualMCPCompositeToolDefinition: {
    name: 'sample-flow',
    description: 'Calls.',
    steps: [{ id: 'sample', tool: 'sample.echo' }],
  },
};

interface Extra {
  /** Fields of the gateway that refer to the object. */
  readonly gateway?: object;
  readonly config?: object;
  /** Whether the object replaces the other member of the group. */
  readonly isMember?: true;
}

/** Objects of the kinds that no gateway of the other kinds' tests needs. */
const ALONE: { readonly [kind: string]: { readonly base: object } & Extra } = {
  MCPServer: {
    base: { ...MEMBER, ...DEMANDED, image: 'example.com/tools:1', transport: 'streamable-http' },
    isMember: true,
  },
  MCPRemoteProxy: { base: { ...MEMBER, ...DEMANDED, remoteUrl: 'https://remote.test/mcp' }, isMember: true },
  EmbeddingServer: {
    base: { ...(buildSample(KINDS_FILE.EmbeddingServer?.spec ?? {}) as object), modelCache: { enabled: true } },
    gateway: { embeddingServerRef: { name: 'sample' } },
    config: { optimizer: {} },
  },
  MCPAuthzConfig: {
    base: { type: 'cedarv1', config: { policies: ['permit(principal, action, resource);'] } },
    gateway: { authzConfigRef: { name: 'sample' } },
  },
  MCPRegistry: {
    base: {
      configYAML: stringify({
        sources: [{ name: 'sample', file: { path: '/srv/sample.json' } }],
        registries: [{ name: 'sample', sources: ['sample'] }],
        auth: { mode: 'anonymous' },
      }),
    },
  },
};

const object = (kind: string, spec: unknown, name = 'sample') => ({
  apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
  kind,
  metadata: { name },
  spec,
});

const AUTHORITIES = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'sample', labels: { 'lintel.dev/watch': 'true' } },
  data: {
    'ca.crt': TEST_AUTHORITY,
    sample: TEST_AUTHORITY,
    'authz.json': JSON.stringify({ version: '1.0', type: 'cedarv1', cedar: { policies: [PERMIT] } }),
  },
};

function gatewayWith({ gateway = {}, config = {} }: Extra): object {
  const { authzConfigRef, ...fields } = gateway as { readonly authzConfigRef?: object };
  const spec = {
    groupRef: { name: 'sample' },
    outgoingAuth: { source: 'discovered' },
    telemetryConfigRef: { name: 'sample' },
    ...fields,
    incomingAuth: { ...SIGN_IN.incomingAuth, ...(authzConfigRef === undefined ? {} : { authzConfigRef }) },
    config: {
      aggregation: { tools: [{ workload: 'sample', toolConfigRef: { name: 'sample' } }] },
      compositeToolRefs: [{ name: 'sample' }],
      ...config,
    },
  };
  return object(GATEWAY, spec, 'gateway');
}

/** The tools of a backend, so that filters and overrides of tools have an effect. */
const TOOLS = { tools: ['echo', 'sample', 'other'] };
const CATALOG = createCatalog(
  Object.fromEntries(['MCPServerEntry', 'MCPServer', 'MCPRemoteProxy'].map(kind => [`default/${kind}/sample`, TOOLS])),
);

interface Circumstances {
  readonly target: 'pods' | undefined;
  readonly file?: string;
  readonly isLocked?: boolean;
}

function compileText(text: string, { target, file = 'spec.yaml', isLocked = false }: Circumstances): Compilation {
  return compile(
    { ...readTexts([new SourceText(file, text)]), named: new Set([file]) },
    {
      purpose: 'language',
      origin: { compilerVersion: '0.0.0', sourceRevision: null },
      ...(isLocked ? { catalog: CATALOG } : {}),
      ...(target === undefined ? {} : { target }),
    },
  );
}

const textOf = (documents: readonly object[]) => documents.map(one => stringify(one)).join('---\n');

const schemaOf = (kind: string): StructuralSchema => KINDS_FILE[kind]?.spec ?? {};
const pathsOf = (schema: StructuralSchema): readonly Path[] => listLeaves(schema).map(({ path }) => path);

/** The field that each of these fields excludes. */
const EXCLUDED: { readonly [field: string]: string } = { headerValue: 'headerValueEnv', matcher: 'claim' };

/** The spec with meaningful values of the leaf and of required fields next to it, and without the field that excludes the leaf. */
function meaning(kind: string, spec: unknown, path: Path): unknown {
  const value = meaningfulValue(kind, path);
  const meant = withPolicies(withOutput(value === undefined ? spec : replaced(spec, path, value), path));
  const excluded = EXCLUDED[String(path.at(-1))];
  if (excluded !== undefined) return withoutLeaf(meant, [...path.slice(0, -1), excluded]);
  const [mappings, first, field] = [path.slice(0, -2), path.at(-2), path.at(-1)];
  // A priority needs several mappings to have an effect, and the permission for plain http needs a URL with plain http.
  if (field === 'priority' && first === 0)
    return replaced(meant, mappings, [(valueAt(meant, mappings) as object[])[0], MAPPINGS[1]]);
  if (field === 'insecureTargetTokenUrl')
    return replaced(meant, [...path.slice(0, -1), 'targetTokenUrl'], 'http://id.test/token');
  return meant;
}

/** An output of a workflow has either a value or properties, and those are outputs themselves. */
function withOutput(spec: unknown, path: Path): unknown {
  const output = path.indexOf('output');
  const [properties, name, ...inner] = path.slice(output + 1);
  if (output < 0 || properties !== 'properties' || name === undefined) return spec;
  return replaced(spec, path.slice(0, output + 3), outputWith(inner, valueAt(spec, path)));
}

function outputWith([field = '', name = '', ...inner]: Path, value: unknown): object {
  if (field === 'properties' && inner.length > 0)
    return { type: 'object', description: 'sample', properties: { [name]: outputWith(inner, value) } };
  return { type: 'object', description: 'sample', value: '{}', [field]: value };
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as { [key: string]: unknown } | undefined)?.[step], value);
}

/** The value with valid policies, because the usual sample text is not a policy. */
function withPolicies(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPolicies);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === 'policies' && Array.isArray(member) && member[0] === 'sample' ? [PERMIT] : withPolicies(member),
    ]),
  );
}

export function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value)) return value.map((item, at) => (at === step ? replaced(item, rest, by) : item));
  const object = (value ?? {}) as { readonly [name: string]: unknown };
  return { ...object, [step]: replaced(object[step], rest, by) };
}

const OIDC = { issuer: ISSUER, audience: 'https://mcp.test', clientId: 'gw' };

/** Other settings that a gateway needs so that a field has an effect: a switch that is on, or the other half of a pair. */
const SETTINGS: readonly (readonly [field: RegExp, path: Path, value: unknown])[] = [
  [/^config\.optimizer\.embedding/, ['config', 'optimizer', 'embeddingService'], 'https://embed.test'],
  [/^config\.optimizer\.embeddingModel/, ['config', 'optimizer', 'embeddingProvider'], 'openai'],
  [/^config\.audit\./, ['config', 'audit', 'enabled'], true],
  [/^config\.audit\.maxDataSize/, ['config', 'audit', 'includeRequestData'], true],
  [
    /^config\.telemetry\.(samplingRate|environmentVariables|useLegacy|headers)/,
    ['config', 'telemetry', 'tracingEnabled'],
    true,
  ],
  [/^config\.telemetry\./, ['config', 'telemetry', 'metricsEnabled'], true],
  [/^config\.telemetry\.(?!endpoint)/, ['config', 'telemetry', 'endpoint'], 'https://otel.test'],
  [/circuitBreaker\./, ['config', 'operational', 'failureHandling', 'circuitBreaker', 'enabled'], true],
  [/^config\.backends\./, ['outgoingAuth'], { source: 'inline' }],
  [/priorityOrder/, ['config', 'aggregation', 'conflictResolution'], 'priority'],
  [/^incomingAuth\.oidcConfigRef\./, ['incomingAuth', 'type'], 'oidc'],
  [/^incomingAuth\.authzConfig\./, ['incomingAuth', 'type'], 'oidc'],
  [/^incomingAuth\.authzConfig\./, ['incomingAuth', 'oidcConfigRef'], DEMANDED.oidcConfigRef],
  [/^config\.incomingAuth\./, ['incomingAuth'], undefined],
  [/^config\.incomingAuth\.(?!oidc)/, ['config', 'incomingAuth', 'oidc'], OIDC],
  [/^config\.incomingAuth\.(?!type)/, ['config', 'incomingAuth', 'type'], 'oidc'],
  [/^config\.incomingAuth\.authz\.(?!type)/, ['config', 'incomingAuth', 'authz', 'type'], 'cedar'],
  [/^config\.incomingAuth\.authz\.(?!policies)/, ['config', 'incomingAuth', 'authz', 'policies'], [PERMIT]],
  [
    /^config\.incomingAuth\.oidc\.client/,
    ['config', 'incomingAuth', 'oidc', 'introspectionUrl'],
    'https://id.test/ask',
  ],
  [/^config\.incomingAuth\.oidc\.clientId/, ['config', 'incomingAuth', 'oidc', 'clientSecretEnv'], 'OTHER'],
  [/^config\.incomingAuth\.oidc\.(?!issuer)/, ['config', 'incomingAuth', 'oidc', 'issuer'], ISSUER],
  [/dcrConfig\.registrationEndpoint/, ['authServerConfig', 'upstreamProviders', 0, 'oauth2Config', 'scopes'], ['a']],
  ...['default', 'backends.sample'].flatMap(where => {
    const at = ['config', 'outgoingAuth', ...where.split('.')];
    const pair = (block: string, field: string, other: string) =>
      [new RegExp(`${where}\\.${block}\\.${field}$`), [...at, block, other], 'OTHER'] as const;
    return [
      ...['tokenExchange', 'obo'].flatMap(block => [
        pair(block, 'clientId', 'clientSecretEnv'),
        pair(block, 'clientSecretEnv', 'clientId'),
      ]),
      ...['idp', 'target'].flatMap(side => [
        pair('xaa', `${side}ClientId`, `${side}ClientSecretEnv`),
        pair('xaa', `${side}ClientSecretEnv`, `${side}ClientId`),
      ]),
    ];
  }),
];

function withSettings(spec: unknown, path: Path): unknown {
  const field = path.join('.');
  return SETTINGS.filter(([pattern]) => pattern.test(field)).reduce<unknown>(
    (changed, [, at, value]) => (value === undefined ? withoutLeaf(changed, at) : replaced(changed, at, value)),
    spec,
  );
}

const gateway: Subject = {
  kind: GATEWAY,
  schema: schemaOf(GATEWAY),
  leaves: pathsOf(schemaOf(GATEWAY)),
  served: () => [SERVED_GATEWAY],
  specWith: path => {
    const spec = obeyingRules(schemaOf(GATEWAY), specWith(path)) as object;
    if (path[0] === 'authServerConfig') {
      // The gateway requires callers to have tokens that its authorization server has issued.
      const named = replaced(spec, ['authServerConfig', 'issuer'], ISSUER) as object;
      return meaning(GATEWAY, withSettings({ ...named, incomingAuth: SIGN_IN.incomingAuth }, path), path);
    }
    return meaning(GATEWAY, withSettings(spec, path), path);
  },
  compile: (spec, _path, target) => compileText(`${textWith(spec)}---\n${textOf([AUTHORITIES])}`, { target }),
};

/** An object of the kind with everything else that it needs so that the leaf can have an effect. */
function baseOf(kind: string, path: Path): unknown {
  const base = blockOf(kind, path);
  const ca = path.indexOf('caBundleRef');
  // `optional` only has an effect if the referenced object is missing.
  const reference = { configMapRef: { name: 'sample', key: path.at(-1) === 'optional' ? 'missing' : 'ca.crt' } };
  return ca < 0 ? base : replaced(base, path.slice(0, ca + 1), reference);
}

function blockOf(kind: string, path: Path): object {
  const [block = '', member = ''] = path.map(String);
  const base = ALONE[kind]?.base ?? BASES[kind] ?? {};
  switch (kind) {
    case 'MCPExternalAuthConfig': {
      const own = CREDENTIALS[block];
      if (own === undefined) return base;
      if (member === 'storage') return { type: block, [block]: storedSignIn(path.slice(3)).authServerConfig };
      const upstream = { upstreamProviders: [{ name: 'sample', type: 'oauth2', oauth2Config: ENDPOINTS }] };
      return { type: block, [block]: path.includes('oauth2Config') ? { ...own, ...upstream } : own };
    }
    case 'MCPOIDCConfig':
      return block === 'kubernetesServiceAccount' ? { type: block, [block]: {} } : base;
    case 'VirtualMCPCompositeToolDefinition':
      return compositeFor(path);
    case 'MCPRegistry':
      return block === 'volumeMounts' ? { ...base, volumes: [{ name: 'one', emptyDir: {} }] } : base;
    case 'MCPServer':
    case 'MCPRemoteProxy': {
      // A command has no proxy in front of it that would require tokens.
      const { oidcConfigRef: _, ...open } = base as { readonly oidcConfigRef?: object };
      if (['command', 'workingDir', 'process'].includes(block)) return open;
      const redis = { provider: 'redis', passwordRef: { name: 'keys', key: 'k' } };
      if (member === 'usernameRef') return { ...base, sessionStorage: { ...redis, address: 'a:1' } };
      if (member !== 'sentinelConfig' && member !== 'sentinelTls') return base;
      const found = path.includes('sentinelService')
        ? { sentinelService: { name: 'sample' } }
        : { sentinelAddrs: ['a:1'] };
      return { ...base, sessionStorage: { provider: 'redis', sentinelConfig: { masterName: 'sample', ...found } } };
    }
    default:
      return base;
  }
}

/** The objects next to one of a kind, for one of its leaves. */
function othersOf(kind: string, [block]: Path): readonly object[] {
  const extra: Extra = ALONE[kind] ?? {};
  const entry = object('MCPServerEntry', BASES.MCPServerEntry);
  const shared = Object.entries({ ...BASES, MCPAuthzConfig: ALONE.MCPAuthzConfig?.base ?? {} })
    .filter(([other]) => other !== kind && other !== 'MCPServerEntry')
    .map(([other, base]) =>
      object(other, block === 'authServerRef' && other === 'MCPExternalAuthConfig' ? ISSUING : base),
    );
  if (kind !== 'MCPExternalAuthConfig') {
    const members = extra.isMember === true || kind === 'MCPServerEntry' ? [] : [entry];
    return [AUTHORITIES, ...shared, ...members, gatewayWith(extra)];
  }
  const { externalAuthConfigRef, groupRef, ...open } = BASES.MCPServerEntry as { [field: string]: unknown };
  if (block !== 'embeddedAuthServer' && block !== 'bearerToken')
    return [AUTHORITIES, ...shared, entry, gatewayWith({ gateway: { authServerConfig: SIGN_IN.authServerConfig } })];
  // No gateway can use these credentials for a backend.
  const { groupRef: _, ...proxy } = (ALONE.MCPRemoteProxy?.base ?? {}) as { readonly groupRef?: object };
  const guarded = object('MCPRemoteProxy', { ...proxy, externalAuthConfigRef }, 'guarded');
  return [AUTHORITIES, ...shared, object('MCPServerEntry', { ...open, groupRef }), guarded, gatewayWith({})];
}

const ISSUING = { type: 'embeddedAuthServer', embeddedAuthServer: SIGN_IN.authServerConfig };

/** What has a bundle besides the gateway, and may be affected by the leaf. */
function alsoServed(kind: string, [block]: Path): readonly string[] {
  if (kind === 'MCPRegistry') return [SERVED_REGISTRY];
  // A command runs on this machine, where it has no server of its own besides the gateway.
  const isCommand = ['command', 'workingDir', 'process'].includes(String(block));
  if (ALONE[kind]?.isMember === true && !isCommand) return [`gateway/default/${kind}/sample`];
  const isOfProxy = kind === 'MCPExternalAuthConfig' && block === 'embeddedAuthServer';
  return isOfProxy ? ['gateway/default/MCPRemoteProxy/guarded'] : [];
}

function referenced(kind: string): Subject {
  const schema = schemaOf(kind);
  return {
    kind,
    schema,
    leaves: pathsOf(schema),
    served: path => [SERVED_GATEWAY, ...alsoServed(kind, path)],
    specWith: path => meaning(kind, obeyingRules(schema, withLeaf(schema, baseOf(kind, path), path), path), path),
    compile: (spec, path, target) => {
      const documents = [...othersOf(kind, path), object(kind, spec)];
      return compileText(textOf(documents), { target, isLocked: kind !== 'VirtualMCPCompositeToolDefinition' });
    },
  };
}

const registryFile: Subject = {
  kind: REGISTRY_FILE,
  schema: FILE_SCHEMAS[REGISTRY_FILE],
  leaves: pathsOf(FILE_SCHEMAS[REGISTRY_FILE]),
  served: () => [SERVED_REGISTRY],
  specWith: path => meaning(REGISTRY_FILE, withLeaf(FILE_SCHEMAS[REGISTRY_FILE], registryWith(path), path), path),
  compile: (spec, _path, target) => compileText(stringify(spec), { target, file: 'sample.yaml' }),
};

export const SUBJECTS: readonly Subject[] = [
  gateway,
  ...Object.keys(KINDS_FILE)
    .filter(kind => kind !== GATEWAY && kind !== OF_THE_CONTROLLER)
    .map(referenced),
  registryFile,
];
