/** A gateway with any single field of its kind, next to an object of every other kind. */
import { stringify } from 'yaml';
import { type Compilation, compile, readTexts, SourceText } from '#compiler';
import { API_GROUP, KINDS_FILE, STORAGE_VERSION, type StructuralSchema } from '#schemas';
import { obeyingRules } from '../../support/obey-rules.ts';
import { buildSample, listLeaves, type Path, withLeaf } from '../../support/sample.ts';

export const KIND = 'VirtualMCPServer';
const schema: StructuralSchema = KINDS_FILE[KIND]?.spec ?? {};

const object = (kind: string, spec: unknown, name = 'sample') => ({
  apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
  kind,
  metadata: { name },
  spec,
});

/** Specs of the kinds for which an object with only the required fields violates a rule. */
const MEANINGFUL: { readonly [kind: string]: object } = {
  MCPOIDCConfig: { type: 'inline', inline: { issuer: 'https://sample.example.com' } },
  MCPRegistry: {
    configYAML: stringify({
      sources: [{ name: 'sample', file: { path: '/srv/sample.json' } }],
      registries: [{ name: 'sample', sources: ['sample'] }],
      auth: { mode: 'anonymous' },
    }),
  },
  VirtualMCPCompositeToolDefinition: {
    name: 'sample',
    description: 'sample',
    steps: [{ id: 'sample', tool: 'echo' }],
  },
};

/** One valid object of every other kind, all named `sample`, so that every reference resolves. */
const others = Object.values(KINDS_FILE)
  .filter(({ kind }) => kind !== KIND)
  .map(({ kind, spec }) => object(kind, MEANINGFUL[kind] ?? buildSample(spec)))
  .filter(({ kind }) => kind !== 'MCPServer' && kind !== 'MCPRemoteProxy');

/** The smallest gateway. It has an inline backend, so that the choice of the source matters. */
export const smallest: object = {
  groupRef: { name: 'sample' },
  incomingAuth: { type: 'anonymous' },
  config: { backends: [{ name: 'static', url: 'http://static.test/mcp', transport: 'sse' }] },
};

const TOKEN_URL = 'https://id.test/token';
const ROLE = 'arn:aws:iam::123456789012:role/sample';

/** For each type of strategy, a valid one, by its block. */
const STRATEGIES: { readonly [block: string]: readonly [type: string, block: object] } = {
  headerInjection: ['header_injection', { headerName: 'X-Key', headerValueEnv: 'KEY' }],
  tokenExchange: ['token_exchange', { tokenUrl: TOKEN_URL }],
  upstreamInject: ['upstream_inject', { providerName: 'sample' }],
  awsSts: ['aws_sts', { region: 'us-west-1', roleMappings: [{ roleArn: ROLE, claim: 'a' }] }],
  obo: ['obo', { tokenUrl: TOKEN_URL }],
  xaa: ['xaa', { idpTokenUrl: TOKEN_URL, targetTokenUrl: TOKEN_URL, targetAudience: 'a' }],
};

/** Fields of a gateway with an upstream, whose tokens strategies may use. */
export const SIGN_IN: { readonly incomingAuth: object; readonly authServerConfig: object } = {
  incomingAuth: {
    type: 'oidc',
    oidcConfigRef: { name: 'sample', audience: 'https://mcp.test', resourceUrl: 'https://mcp.test' },
  },
  authServerConfig: {
    issuer: 'https://sample.example.com',
    upstreamProviders: [
      { name: 'sample', type: 'oidc', oidcConfig: { issuerUrl: 'https://id.test', clientId: 'sample' } },
    ],
  },
};

const STEP = { id: 'sample', tool: 'echo' };

const ANSWER = { type: 'object', properties: { sure: { type: 'boolean' } } };

/** A step of the type that has the field. */
const STEPS: { readonly [field: string]: object } = {
  ...Object.fromEntries(
    ['type', 'collection', 'itemVar', 'maxParallel', 'maxIterations', 'step'].map(field => [
      field,
      { id: 'sample', type: 'forEach', collection: '{{ json .params.items }}', step: STEP },
    ]),
  ),
  ...Object.fromEntries(
    ['message', 'schema', 'onCancel', 'onDecline'].map(field => [
      field,
      { id: 'sample', type: 'elicitation', message: 'sure?', schema: ANSWER },
    ]),
  ),
};

/** A workflow in which one of its fields can have an effect. */
export function compositeFor([field, , ofStep, inner, last]: Path): object {
  const step = STEPS[String(ofStep)] ?? STEP;
  const isRetry =
    (ofStep === 'onError' ? inner : ofStep === 'step' && inner === 'onError' ? last : undefined) !== undefined;
  const onError = { action: 'retry', retryCount: 2 };
  const withPolicy = !isRetry
    ? step
    : ofStep === 'step'
      ? { ...step, step: { ...STEP, onError } }
      : { ...step, onError };
  const output = { properties: { sample: { type: 'object', description: 'sample', value: '{}' } } };
  return {
    name: 'sample',
    description: 'sample',
    steps: [field === 'steps' ? withPolicy : STEP],
    ...(field === 'output' ? { output } : {}),
  };
}

function sentinelsAt(member: Path[number] | undefined): object {
  return member === 'sentinelService' ? { sentinelService: { name: 'sample' } } : { sentinelAddrs: ['a:1'] };
}

/** Fields of a gateway with an authorization server that stores its state in Redis. */
export function storedSignIn([field, member]: Path): typeof SIGN_IN {
  const watched = { sentinelConfig: { masterName: 'sample', ...sentinelsAt(member) } };
  const redis = {
    ...(String(field).startsWith('sentinel') ? watched : { addr: 'redis:6379' }),
    aclUserConfig: { passwordSecretRef: { name: 'sample', key: 'sample' } },
  };
  const { incomingAuth, authServerConfig } = SIGN_IN;
  return { incomingAuth, authServerConfig: { ...authServerConfig, storage: { type: 'redis', redis } } };
}

/** The smallest spec in which a field can have an effect. */
function baseFor([config, auth, ...path]: Path): object {
  if (config === 'config' && auth === 'compositeTools')
    return { ...smallest, config: { compositeTools: [compositeFor(path.slice(1))] } };
  if (config === 'sessionStorage' && auth === 'usernameRef')
    return {
      ...smallest,
      sessionStorage: { provider: 'redis', address: 'redis:6379', passwordRef: { name: 'sample', key: 'sample' } },
    };
  if (config === 'authServerConfig' && auth === 'storage') return { ...smallest, ...storedSignIn(path.slice(1)) };
  const storage = config === 'sessionStorage' ? [auth, ...path] : path;
  if (String(storage[0]).startsWith('sentinel')) {
    const sessionStorage = { provider: 'redis', sentinelConfig: { masterName: 'sample', ...sentinelsAt(storage[1]) } };
    return { ...smallest, ...(config === 'config' ? { config: { sessionStorage } } : { sessionStorage }) };
  }
  if (config === 'config' && auth === 'sessionStorage')
    return { ...smallest, config: { sessionStorage: { provider: 'redis', address: 'redis:6379' } } };
  if (config !== 'config' || auth !== 'outgoingAuth' || path[0] === 'source') return smallest;
  const field = String(path[path[0] === 'default' ? 1 : 2]);
  const block = field === 'type' ? 'xaa' : field;
  const [type, settings] = STRATEGIES[block] ?? [];
  const strategy = { type, [block]: settings };
  const where = path[0] === 'default' ? { default: strategy } : { backends: { sample: strategy } };
  return { groupRef: { name: 'sample' }, ...SIGN_IN, config: { outgoingAuth: { source: 'discovered', ...where } } };
}

/** A gateway with the spec, changed to satisfy the schema's rules, next to all objects that it may refer to. */
export function specText(spec: unknown): string {
  return textWith(obeyingRules(schema, spec));
}

/** A gateway of the spec as it is, next to all that it may refer to. */
export function textWith(spec: unknown): string {
  return [...others, object(KIND, spec, 'gateway')].map(document => stringify(document)).join('---\n');
}

export function compileSpec(spec: unknown): Compilation {
  return compile(readTexts([new SourceText('spec.yaml', specText(spec))]), {
    purpose: 'language',
    origin: { compilerVersion: 'test', sourceRevision: null },
  });
}

export const leaves: readonly { readonly path: Path }[] = listLeaves(schema);

/** The smallest spec in which the field can have an effect, with a sample of the field. */
export function specWith(path: Path): unknown {
  return withLeaf(schema, baseFor(path), path);
}
