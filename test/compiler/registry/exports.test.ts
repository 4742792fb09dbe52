/** Entries of objects that are compiled together with a registry server and annotated for export. */
import { describe, expect, test } from 'vitest';
import { compile, readTexts, SourceText } from '#compiler';
import type { RegistryEntry } from '#schemas';
import { createCatalog } from '../../support/gateway-rule.ts';

const CONFIG = (source = 'kubernetes: {}', auth = 'mode: anonymous') => `sources:
  - name: cluster
    ${source}
registries: [{ name: main, sources: [cluster] }]
auth: { ${auth} }
`;
const CLAIMS = `authz: { roles: { superAdmin: [{ role: admin }] } }, oauth: { resourceUrl: https://r.example.com, providers: [{ name: c, issuerUrl: https://l.example.com, audience: r }] }`;
const EXPORT = {
  'registry-export': 'true',
  'registry-url': 'https://docs.example.com/mcp',
  'registry-description': 'Searches the documentation.',
};

interface Written {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly group?: string;
  readonly spec?: object;
  readonly annotations?: { readonly [name: string]: string };
}

function object({
  kind = 'MCPRemoteProxy',
  name = 'docs',
  namespace = 'tools',
  group = 'lintel.dev',
  ...rest
}: Written) {
  const { spec = { remoteUrl: 'https://docs.example.com/mcp' }, annotations = {} } = rest;
  const all = Object.entries({ ...EXPORT, ...annotations }).map(([key, value]) => [`${group}/${key}`, value]);
  return JSON.stringify({
    apiVersion: 'lintel.dev/v1beta1',
    kind,
    metadata: { name, namespace, annotations: Object.fromEntries(all) },
    spec,
  });
}

function compiled(config: string, objects: readonly string[], catalog?: ReturnType<typeof createCatalog>) {
  const texts = objects.map((text, index) => new SourceText(`o${index}.json`, text));
  const sources = readTexts([new SourceText('registry.yaml', config), ...texts]);
  const result = compile(sources, {
    purpose: 'check',
    origin: { compilerVersion: '0.0.0', sourceRevision: null },
    catalog,
  });
  const [registry] = result.registries;
  return {
    bundle: registry?.bundle,
    entries: (registry?.files[0]?.text ?? '')
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as RegistryEntry),
    findings: result.findings.diagnostics
      .filter(({ code }) => /^LNT80[12]|LNT1008/.test(code))
      .map(({ code, file, message }) => `${code} ${file} ${message}`),
  };
}

const versionOf = (written: Written): unknown => compiled(CONFIG(), [object(written)]).entries[0]?.server.version;

describe('the registry entry of an object', () => {
  test('an exported object becomes a registry entry with the title, icon and version of its annotations', () => {
    const annotations = {
      'registry-title': 'Docs',
      'registry-icon': 'https://docs.example.com/icon.png',
      'registry-category': 'search',
      'registry-version': '2.1.0',
      'tool-definitions': '[{"name": "search", "description": "Finds pages.", "inputSchema": {}}]',
    };
    const { entries, bundle, findings } = compiled(CONFIG(), [object({ annotations })]);
    expect(findings).toEqual([]);
    expect(bundle?.sources).toMatchObject([
      { from: { type: 'bundled', entries: { count: 1, origin: 'exported objects' } }, intervalMs: null },
    ]);
    expect(entries).toEqual([
      {
        server: {
          $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
          name: 'dev.lintel.k8s.tools/docs',
          title: 'Docs',
          description: 'Searches the documentation.',
          version: '2.1.0',
          icons: [{ src: 'https://docs.example.com/icon.png' }],
          remotes: [{ type: 'streamable-http', url: 'https://docs.example.com/mcp' }],
          _meta: {
            'io.modelcontextprotocol.registry/publisher-provided': {
              'dev.lintel': {
                'https://docs.example.com/mcp': {
                  tags: ['search'],
                  tools: ['search'],
                  tool_definitions: [{ name: 'search', description: 'Finds pages.' }],
                },
              },
            },
          },
        },
        status: 'active',
        publishedAt: null,
        updatedAt: null,
      },
    ]);
  });

  test('the name of a registry entry begins with com.toolhive.k8s if the annotations of the exported object have the prefix of ToolHive', () => {
    const { entries } = compiled(CONFIG(), [object({ group: 'toolhive.stacklok.dev' })]);
    expect(entries.map(({ server }) => server.name)).toEqual(['com.toolhive.k8s.tools/docs']);
  });

  test.each<[Written, string]>([
    [{}, '1.0.0'],
    [{ annotations: { 'registry-version': 'v3.0.0-rc.1' } }, 'v3.0.0-rc.1'],
    [{ kind: 'MCPServer', spec: { image: 'r.example.com:5000/docs:1.2.3' } }, '1.2.3'],
    [{ kind: 'MCPServer', spec: { image: `docs:1.2.3@sha256:${'0'.repeat(64)}` } }, '1.2.3'],
    [{ kind: 'MCPServer', spec: { image: 'r.example.com:5000/docs' } }, '1.0.0'],
    [{ kind: 'MCPServer', spec: { image: 'docs:latest' } }, '1.0.0'],
    [{ kind: 'MCPServer', spec: { image: 'docs:1.2' } }, '1.0.0'],
    [{ kind: 'MCPServer', spec: { image: 'docs:1.2.3' }, annotations: { 'registry-version': '9.0.0' } }, '9.0.0'],
  ])('the registry entry of the object %j has the version %s', (written, version) => {
    expect(versionOf(written)).toBe(version);
  });

  test.each<[string, string, string]>([
    ['registry-version', '1.2', 'must be a semantic version such as 1.0.0, without "+"'],
    ['registry-version', '1.2.3+build', 'must be a semantic version such as 1.0.0, without "+"'],
    ['registry-url', 'docs.example.com', 'must be an http or https URL without white space'],
    ['registry-description', 'x'.repeat(101), 'must be a text of 1 to 100 characters'],
    ['registry-icon', 'http://docs.example.com/i.png', 'must be an https URL of at most 255 characters'],
    ['tools', 'search', 'must be a JSON list of names'],
    ['tool-definitions', '[{}]', 'must be a JSON list of objects with a name'],
  ])('a registry does not export an object whose annotation %s is %j, and LNT8027 says why', (name, value, message) => {
    const { entries, findings } = compiled(CONFIG(), [object({ annotations: { [name]: value } })]);
    expect(entries).toEqual([]);
    expect(findings[0]).toBe(`LNT8027 o0.json lintel.dev/${name} ${message}`);
  });
});

describe('exported objects', () => {
  const two = [object({}), object({ namespace: 'web' })];
  test.each<[string, string[]]>([
    ['kubernetes: {}', ['dev.lintel.k8s.tools/docs', 'dev.lintel.k8s.web/docs']],
    ['kubernetes: { namespaces: [web, other] }', ['dev.lintel.k8s.web/docs']],
  ])('a registry source "%s" exports the objects of its namespaces', (source, expected) => {
    const { entries, findings } = compiled(CONFIG(source), two);
    expect([findings, entries.map(({ server }) => server.name)]).toEqual([[], expected]);
  });

  test('a registry source without exported objects gives LNT8028', () => {
    const { entries, bundle, findings } = compiled(CONFIG('kubernetes: { namespaces: [other] }'), two);
    expect(entries).toEqual([]);
    expect(bundle).not.toBeNull();
    expect(findings).toEqual([
      'LNT8028 registry.yaml the source "cluster" lists nothing: no object in the namespace other that it may show is annotated for export',
    ]);
  });

  test('two exported objects with the same name give one registry entry and LNT8029', () => {
    const { entries, findings } = compiled(CONFIG(), [
      object({}),
      object({ kind: 'MCPServer', spec: { image: 'docs:2.0.0' } }),
    ]);
    expect(entries.map(({ server }) => server.version)).toEqual(['2.0.0']);
    expect(findings).toEqual([
      'LNT8029 o0.json the MCPServer "docs" in namespace "tools" has the same name in the registry, so this one is not listed',
    ]);
  });

  test('the compiler reports a filter and an interval of a kubernetes source as without effect', () => {
    const source = 'kubernetes: {}\n    filter: { tags: { include: [x] } }\n    syncPolicy: { interval: 5m }';
    expect(compiled(CONFIG(source), two).findings).toEqual([
      'LNT1008 registry.yaml sources[0].filter has no effect: annotations say what is listed',
      'LNT1008 registry.yaml sources[0].syncPolicy has no effect: objects are read when the bundle is built',
    ]);
  });

  test('the compiler does not build a registry server that may export an object with errors', () => {
    const broken = object({ name: 'broken', spec: { remoteURL: 'https://x.example.com' } });
    expect(compiled(CONFIG(), [...two, broken]).bundle).toBeNull();
    expect(compiled(CONFIG('kubernetes: { namespaces: [web] }'), [...two, broken]).bundle).not.toBeNull();
  });
});

describe('claims of an object', () => {
  const claiming = (claims: string) => object({ annotations: { 'authz-claims': claims } });
  const source = (claims: string) => `kubernetes: {}\n    claims: ${claims}`;
  test.each<[string, string, string, boolean]>([
    ['the same claims as the source', '{"team": ["b", "a"]}', CONFIG(source('{ team: [a, b] }'), CLAIMS), true],
    ['one value in place of a list of it', '{"team": "a"}', CONFIG(source('{ team: [a] }'), CLAIMS), true],
    ['fewer values than the source', '{"team": "a"}', CONFIG(source('{ team: [a, b] }'), CLAIMS), false],
    ['more values than the source', '{"team": ["a", "b"]}', CONFIG(source('{ team: a }'), CLAIMS), false],
    ['claims, for a source that only super admins see', '{"team": "a"}', CONFIG('kubernetes: {}', CLAIMS), false],
    ['claims, for a registry server without claims', '{"team": "a"}', CONFIG(), false],
    ['no claims in JSON, for a source with claims', '{}', CONFIG(source('{ team: a }'), CLAIMS), false],
    ['no claims in JSON, for a source without claims', '{}', CONFIG('kubernetes: {}', CLAIMS), true],
    ['no claims in JSON, for an anonymous registry server', '{}', CONFIG(), true],
  ])('an object is exported only if its claims are those of the source: %s', (_, claims, config, isListed) => {
    const { entries, findings } = compiled(config, [claiming(claims)]);
    expect(entries).toHaveLength(isListed ? 1 : 0);
    expect(findings.filter(found => found.startsWith('LNT8026'))).toEqual(
      isListed
        ? []
        : [
            'LNT8026 o0.json no kubernetes source of the registry server "registry" asks for these claims, so the object is not listed',
          ],
    );
  });

  test('an object with an invalid authz-claims annotation is not exported', () => {
    const { entries, findings } = compiled(CONFIG(), [claiming('team: a')]);
    expect(entries).toEqual([]);
    expect(findings.map(found => found.slice(0, 15))).toEqual(['LNT8028 registr']);
  });

  test('an object without authz-claims is exported with the claims of the source', () => {
    const { entries, bundle } = compiled(CONFIG(source('{ team: a }'), CLAIMS), [object({})]);
    expect([entries.length, bundle?.sources[0]?.claims]).toEqual([1, { team: ['a'] }]);
  });

  test('an object is exported by the registry source with the same claims, without a finding about other sources', () => {
    const config = CONFIG(source('{ team: a }'), CLAIMS)
      .replace('registries:', '  - name: other\n    kubernetes: {}\n    claims: { team: b }\nregistries:')
      .replace('[cluster]', '[cluster, other]');
    const { bundle, findings } = compiled(config, [claiming('{"team": "b"}'), object({ name: 'open' })]);
    expect(findings).toEqual([]);
    expect(bundle?.sources.map(({ from }) => from.type === 'bundled' && from.entries.count)).toEqual([1, 2]);
  });
});

describe('a gateway', () => {
  const plain = (kind: string, name: string, spec: object) =>
    JSON.stringify({ apiVersion: 'lintel.dev/v1beta1', kind, metadata: { name, namespace: 'tools' }, spec });
  const around = [
    plain('MCPGroup', 'tools', {}),
    plain('MCPServerEntry', 'github', {
      remoteUrl: 'https://github.example.com/mcp',
      transport: 'streamable-http',
      groupRef: { name: 'tools' },
    }),
  ];
  const tools = [
    { workload: 'github', filter: ['find', 'open'], overrides: { search: { name: 'find', description: 'Finds.' } } },
  ];
  const compositeTools = [
    { name: 'report', description: 'Writes a report.', steps: [{ id: 'a', tool: 'github_open', arguments: {} }] },
  ];
  const gateway = (config: object = {}) =>
    object({
      kind: 'VirtualMCPServer',
      name: 'eng',
      annotations: { tools: '["said"]' },
      spec: {
        groupRef: { name: 'tools' },
        incomingAuth: { type: 'anonymous' },
        config: { aggregation: { conflictResolution: 'prefix', tools }, compositeTools, ...config },
      },
    });
  const catalog = createCatalog({
    'tools/MCPServerEntry/github': {
      tools: ['search', 'open', 'delete'].map(name => ({ name, description: `Does ${name}.` })),
    },
  });
  const partsOf = ({ entries }: ReturnType<typeof compiled>): unknown[] =>
    entries.map(({ server }) => server._meta).filter(meta => meta !== undefined);

  test('the registry entry of a gateway lists the tools that callers of the gateway see, by the names that these callers see', () => {
    const { entries, findings } = compiled(CONFIG(), [...around, gateway()], catalog);
    expect(findings).toEqual([]);
    expect(entries[0]?.server).toMatchObject({
      name: 'dev.lintel.k8s.tools/eng',
      _meta: {
        'io.modelcontextprotocol.registry/publisher-provided': {
          'dev.lintel': {
            'https://docs.example.com/mcp': {
              tools: ['github_find', 'github_open', 'report'],
              tool_definitions: [
                { name: 'github_find', description: 'Finds.' },
                { name: 'github_open', description: 'Does open.' },
                { name: 'report', description: 'Writes a report.' },
              ],
            },
          },
        },
      },
    });
  });

  test('the registry entry of a gateway without a tool lock has the tools of its annotation', () => {
    const compilation = compiled(CONFIG(), [...around, gateway()]);
    expect(JSON.stringify(partsOf(compilation))).toContain('"tools":["said"]');
  });

  test('the registry entry of a gateway has only tool names if descriptions would make the entry too large', () => {
    const many = Array.from({ length: 300 }, (_, index) => `t${index}`);
    const large = createCatalog({
      'tools/MCPServerEntry/github': { tools: many.map(name => ({ name, description: 'x'.repeat(2000) })) },
    });
    const config = { aggregation: { conflictResolution: 'prefix' }, compositeTools: [] };
    const compilation = compiled(CONFIG(), [...around, gateway(config)], large);
    const text = JSON.stringify(partsOf(compilation));
    expect([text.includes('github_t299'), text.includes('tool_definitions')]).toEqual([true, false]);
  });

  test('the compiler does not build a registry server that exports a gateway with errors', () => {
    const broken = gateway({ aggregation: { conflictResolution: 'prefix', tools: [{ workload: 'nobody' }] } });
    expect(compiled(CONFIG(), [...around, broken], catalog).bundle).toBeNull();
  });
});
