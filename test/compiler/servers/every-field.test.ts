/** "Accepted but ignored" must be impossible: each field of a server changes what runs it, or a finding names it. */
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Compilation, compile, manifestsOf, readTexts, SourceText } from '#compiler';
import { API_GROUP, KINDS_FILE, STORAGE_VERSION, type StructuralSchema } from '#schemas';
import { obeyingRules } from '../../support/obey-rules.ts';
import { leavesOf, type Path, sampleOf, withLeaf, withoutLeaf } from '../../support/sample.ts';

const object = (kind: string, name: string, spec: unknown) => ({
  apiVersion: `${API_GROUP}/${STORAGE_VERSION}`,
  kind,
  metadata: { name },
  spec,
});

/** What references lead to, each named `sample`. */
const OTHERS = [
  object('MCPGroup', 'sample', {}),
  object('MCPToolConfig', 'sample', { toolsFilter: ['echo'] }),
  object('MCPOIDCConfig', 'sample', { type: 'inline', inline: { issuer: 'https://id.test' } }),
  object('MCPTelemetryConfig', 'sample', {
    openTelemetry: { enabled: true, endpoint: 'https://otel.test', tracing: { enabled: true } },
  }),
  object('MCPAuthzConfig', 'sample', sampleOf(KINDS_FILE.MCPAuthzConfig?.spec ?? {})),
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

/** What a field needs next to it, by how its path begins; the longest counts. */
const BESIDE: { readonly [start: string]: object } = {
  authServerRef: { ...SIGN_IN, authServerRef: { name: 'issuer' } },
  authzConfig: { ...SIGN_IN, authzConfig: POLICIES },
  'authzConfig.configMap': { ...SIGN_IN, authzConfig: { type: 'configMap', configMap: { name: 'sample' } } },
  authzConfigRef: SIGN_IN,
  rateLimiting: { ...SIGN_IN, ...REDIS, rateLimiting: { shared: LIMIT } },
  'rateLimiting.tools': { ...SIGN_IN, ...REDIS, rateLimiting: { tools: [{ name: 'sample', shared: LIMIT }] } },
  sessionStorage: REDIS,
};

/** What the schema has no sample for. */
const SAMPLES: { readonly [field: string]: unknown } = { podTemplateSpec: { metadata: { labels: { team: 'a' } } } };

/** Of a program of this machine, which nothing runs in a cluster. */
const OF_PROGRAMS: readonly unknown[] = ['command', 'workingDir', 'process'];

/** Fields whose sample rightly changes nothing, and why. */
const SAME: { readonly [field: string]: string } = {
  'MCPServer.groupRef.name': 'it tells gateways, whose bundles have it',
  'MCPServer.permissionProfile.type': 'it only says where the profile of that name is',
  'MCPServer.authServerRef.kind': 'there is only one kind',
  'MCPRemoteProxy.authServerRef.kind': 'there is only one kind',
};

const KINDS = {
  MCPServer: { image: 'registry.example.com/a:1', transport: 'streamable-http' },
  MCPRemoteProxy: { remoteUrl: 'https://remote.test/mcp' },
} as const;

type Kind = keyof typeof KINDS;

function compiled(kind: Kind, spec: unknown): Compilation {
  const texts = [...OTHERS, object(kind, 'sample', spec)].map(one => stringify(one)).join('---\n');
  return compile(readTexts([new SourceText('all.yaml', texts)]), {
    purpose: 'check',
    target: 'pods',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
  });
}

const runs = ({ servers: [server] }: Compilation) =>
  server?.bundle ? JSON.stringify(manifestsOf({ bundle: server.bundle, files: [] })) : undefined;

const schemaOf = (kind: Kind): StructuralSchema => KINDS_FILE[kind]?.spec ?? {};

function specWith(kind: Kind, path: Path): unknown {
  const names = path.filter(step => typeof step === 'string').join('.');
  const start = Object.keys(BESIDE)
    .filter(key => names === key || names.startsWith(`${key}.`))
    .sort((a, b) => b.length - a.length)[0];
  const base = { ...KINDS[kind], ...(start === undefined ? {} : BESIDE[start]) };
  const sample = SAMPLES[path.join('.')];
  if (sample !== undefined) return { ...base, [String(path[0])]: sample };
  return obeyingRules(schemaOf(kind), withLeaf(schemaOf(kind), base, path), path);
}

describe.each(Object.keys(KINDS) as Kind[])('every field of %s', kind => {
  const leaves = leavesOf(schemaOf(kind));

  test('what is required is served', () => {
    expect(leaves.length).toBeGreaterThan(60);
    expect(compiled(kind, KINDS[kind]).findings.counts.error).toBe(0);
    expect(runs(compiled(kind, KINDS[kind]))).toBeDefined();
  });

  test.each(leaves.map(({ path }) => [path.join('.'), path] as const))('%s', (field, path) => {
    if (SAME[`${kind}.${field}`] !== undefined || OF_PROGRAMS.includes(path[0])) return;
    const spec = specWith(kind, path);
    const found = compiled(kind, spec);
    const pointer = `/spec/${path.join('/')}`;
    const about = found.findings.diagnostics.filter(
      one =>
        one.object?.kind === kind &&
        (one.pointer === pointer || pointer.startsWith(`${one.pointer}/`)) &&
        one.pointer.length > '/spec'.length,
    );
    if (about.length > 0) return;
    expect(
      found.findings.diagnostics
        .filter(({ severity }) => severity === 'error')
        .map(({ message, pointer }) => `${pointer} ${message}`),
    ).toEqual([]);
    const without = path.map((_, index) => withoutLeaf(spec, path.slice(0, path.length - index)));
    expect(
      without.some(other => runs(compiled(kind, other)) !== runs(found)),
      'changes what runs it or is named by a finding',
    ).toBe(true);
  });
});
