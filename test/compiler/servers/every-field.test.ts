/** No field may be accepted but ignored: each field of a server changes what runs it, or a finding names it. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Compilation, compile, generateManifests, readTexts, SourceText } from '#compiler';
import { API_GROUP, KINDS_FILE, STORAGE_VERSION, type StructuralSchema } from '#schemas';
import { obeyingRules } from '../../support/obey-rules.ts';
import { buildSample, listLeaves, type Path, withLeaf, withoutLeaf } from '../../support/sample.ts';

const object = (kind: string, name: string, spec: unknown) => ({
  apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
  kind,
  metadata: { name },
  spec,
});

/** The objects that references resolve to, each named `sample`. */
const OTHERS = [
  object('MCPGroup', 'sample', {}),
  object('MCPToolConfig', 'sample', { toolsFilter: ['echo'] }),
  object('MCPOIDCConfig', 'sample', { type: 'inline', inline: { issuer: 'https://id.test' } }),
  object('MCPTelemetryConfig', 'sample', {
    openTelemetry: { enabled: true, endpoint: 'https://otel.test', tracing: { enabled: true } },
  }),
  object('MCPAuthzConfig', 'sample', buildSample(KINDS_FILE.MCPAuthzConfig?.spec ?? {})),
  object('MCPExternalAuthConfig', 'sample', {
    type: 'headerInjection',
    headerInjection: { headerName: 'X-Key', valueSecretRef: { name: 'keys', key: 'k' } },
  }),
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'sample' },
    data: Object.fromEntries(
      ['authz.json', 'sample'].map(key => [
        key,
        JSON.stringify({
          version: '1.0',
          type: 'cedarv1',
          cedar: { policies: [`permit(principal == Client::"${key}", action, resource);`], entities_json: '[]' },
        }),
      ]),
    ),
  },
  object('MCPExternalAuthConfig', 'issuer', {
    type: 'embeddedAuthServer',
    embeddedAuthServer: {
      issuer: 'https://id.test',
      upstreamProviders: [
        { name: 'corp', type: 'oidc', oidcConfig: { issuerUrl: 'https://corp.test', clientId: 'lintel' } },
      ],
    },
  }),
];

const SIGN_IN = { oidcConfigRef: { name: 'sample', audience: 'https://mcp.test', resourceUrl: 'https://mcp.test' } };
const REDIS = { sessionStorage: { provider: 'redis', address: 'redis.test:6379' } };
const POLICIES = { type: 'inline', inline: { policies: ['permit(principal, action, resource);'] } };
const LIMIT = { maxTokens: 7, refillPeriod: '7s' };

/** The other fields that a field's sample needs to be valid, by the beginning of its path; the longest match counts. */
const BESIDE: { readonly [start: string]: object } = {
  authServerRef: { ...SIGN_IN, authServerRef: { name: 'issuer' } },
  authzConfig: { ...SIGN_IN, authzConfig: POLICIES },
  'authzConfig.configMap': { ...SIGN_IN, authzConfig: { type: 'configMap', configMap: { name: 'sample' } } },
  authzConfigRef: SIGN_IN,
  rateLimiting: { ...SIGN_IN, ...REDIS, rateLimiting: { shared: LIMIT } },
  'rateLimiting.tools': { ...SIGN_IN, ...REDIS, rateLimiting: { tools: [{ name: 'sample', shared: LIMIT }] } },
  sessionStorage: REDIS,
};

/** Fields for which the schema gives no sample. */
const SAMPLES: { readonly [field: string]: unknown } = { podTemplateSpec: { metadata: { labels: { team: 'a' } } } };

/** Fields whose sample rightly changes nothing, with the reason. */
const SAME: { readonly [field: string]: string } = {
  'groupRef.name': 'it tells gateways, whose bundles have it',
  'permissionProfile.type': 'it only says where the profile of that name is',
  'authServerRef.kind': 'there is only one kind',
};

interface Case {
  readonly kind: string;
  readonly base: object;
  readonly same?: { readonly [field: string]: string };
  /** The first steps of fields that are not part of it. */
  readonly without?: readonly string[];
}

const CASES = {
  'MCPServer over HTTP': {
    kind: 'MCPServer',
    base: { image: 'registry.example.com/a:1', transport: 'streamable-http' },
    // A command speaks over its standard streams, so these fields are refused.
    without: ['command', 'workingDir', 'process'],
  },
  'MCPServer over its standard streams': {
    kind: 'MCPServer',
    base: { image: 'registry.example.com/a:1', command: 'serve' },
    same: {
      proxyMode: 'its gateway offers both; it tells other gateways and the status at which path',
      transport: 'the sample is the default',
    },
  },
  MCPRemoteProxy: { kind: 'MCPRemoteProxy', base: { remoteUrl: 'https://remote.test/mcp' } },
} satisfies { readonly [title: string]: Case };

function compiled(kind: string, spec: unknown): Compilation {
  const texts = [...OTHERS, object(kind, 'sample', spec)].map(one => stringify(one)).join('---\n');
  return compile(readTexts([new SourceText('all.yaml', texts)]), {
    purpose: 'check',
    target: 'pods',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
}

const runs = ({ servers: [server] }: Compilation) =>
  server?.bundle ? JSON.stringify(generateManifests({ bundle: server.bundle, files: [] })) : undefined;

const schemaOf = (kind: string): StructuralSchema => KINDS_FILE[kind]?.spec ?? {};

function specWith({ kind, base: required }: Case, path: Path): unknown {
  const names = path.filter(step => typeof step === 'string').join('.');
  const start = Object.keys(BESIDE)
    .filter(key => names === key || names.startsWith(`${key}.`))
    .sort((a, b) => b.length - a.length)[0];
  const base = { ...required, ...(start === undefined ? {} : BESIDE[start]) };
  const sample = SAMPLES[path.join('.')];
  if (sample !== undefined) return { ...base, [String(path[0])]: sample };
  return obeyingRules(schemaOf(kind), withLeaf(schemaOf(kind), base, path), path);
}

describe.each(Object.entries<Case>(CASES))('every field of %s', (what, one) => {
  const { kind, base, same = {}, without: none = [] } = one;
  const leaves = listLeaves(schemaOf(kind));

  test(`an ${what} has more than 60 fields, and the compiler builds it if only its required fields are set`, () => {
    expect(leaves.length).toBeGreaterThan(60);
    expect(compiled(kind, base).findings.counts.error).toBe(0);
    expect(runs(compiled(kind, base))).toBeDefined();
  });

  test.each(leaves.map(({ path }) => [path.join('.'), path] as const))(
    `the field %s of an ${what} changes the generated pod or bundle, or has a finding`,
    (field, path) => {
      if ({ ...SAME, ...same }[field] !== undefined || none.includes(String(path[0]))) return;
      const spec = specWith(one, path);
      const found = compiled(kind, spec);
      const pointer = `/spec/${path.join('/')}`;
      const about = found.findings.diagnostics.filter(
        ({ object, pointer: at }) =>
          object?.kind === kind && (at === pointer || pointer.startsWith(`${at}/`)) && at.length > '/spec'.length,
      );
      // Without a reason, the compiler would not read the field at all.
      expect(about.filter(({ message }) => message.includes('nothing reads it in this mode'))).toEqual([]);
      if (about.length > 0) return;
      expect(
        found.findings.diagnostics
          .filter(({ severity }) => severity === 'error')
          .map(({ message, pointer }) => `${pointer} ${message}`),
      ).toEqual([]);
      const whole = runs(found);
      const without = path.map((_, index) => withoutLeaf(spec, path.slice(0, path.length - index)));
      expect(
        without.some(other => runs(compiled(kind, other)) !== whole),
        'changes what runs it or is named by a finding',
      ).toBe(true);
    },
  );
});
