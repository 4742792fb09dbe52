/** Entries that the compiler reads from files of the repository. */
import { describe, expect, test } from 'vitest';
import { listBundleFiles } from '#compiler';
import { computeDigest, type RegistryEntry } from '#schemas';
import { compileFiles, formatFindings, getBundle } from './compiling.ts';

const CONFIG = `sources:
  - name: a
    file: { path: catalog/servers.json }
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;
const WEATHER = { name: 'com.example/weather', description: 'Forecasts.', version: '1.0.0' };
const tagged = (tag: string) => ({
  _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { v: { p: { tags: [tag] } } } },
});

const file = (...servers: object[]): string => JSON.stringify({ data: { servers } });
const compiledWith = (text: string, config = CONFIG) =>
  compileFiles({ 'deploy/registry.yaml': config, 'deploy/catalog/servers.json': text });
const entriesOf = (compiled: ReturnType<typeof compileFiles>): RegistryEntry[] =>
  (compiled.registries[0]?.files[0]?.text ?? '')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as RegistryEntry);
const namesOf = (compiled: ReturnType<typeof compileFiles>): string[] =>
  entriesOf(compiled).map(({ server }) => `${server.name} ${server.version}`);

test('lintel build bundles the entries of a registry source with a relative path, which is relative to the configuration file', () => {
  const compiled = compiledWith(file(WEATHER, { ...WEATHER, name: 'com.example/archive' }));
  expect(formatFindings(compiled)).toEqual([]);
  const bundle = getBundle(compiled);
  const [{ path = '', text = '' } = {}] = compiled.registries[0]?.files ?? [];
  expect(bundle.sources).toMatchObject([
    {
      from: {
        type: 'bundled',
        entries: { path: 'entries/a.ndjson', digest: computeDigest(text), count: 2, origin: 'catalog/servers.json' },
      },
      intervalMs: null,
    },
  ]);
  expect([path, bundle.requires]).toEqual(['entries/a.ndjson', ['registry', 'registry-source-bundled']]);
  expect(namesOf(compiled)).toEqual(['com.example/archive 1.0.0', 'com.example/weather 1.0.0']);
});

test('lintel build writes the entries of a registry source before the bundle that has the digest of the entries', () => {
  const compiled = compiledWith(file(WEATHER));
  const { files, index } = listBundleFiles([
    { bundle: getBundle(compiled), files: compiled.registries[0]?.files ?? [] },
  ]);
  const folder = index.bundles[0]?.path;
  expect(files.map(({ path }) => path)).toEqual([`${folder}/entries/a.ndjson`, `${folder}/bundle.json`, 'index.json']);
});

test('the bundled entries do not depend on order and spacing of the source file', () => {
  const other = { version: '1.0.0', description: 'Forecasts.', name: 'com.example/weather' };
  const later = { ...WEATHER, version: '0.9.0' };
  const one = compiledWith(file(WEATHER, later));
  const two = compiledWith(JSON.stringify({ data: { servers: [later, other] } }, null, 2));
  expect(two.registries[0]?.files).toEqual(one.registries[0]?.files);
  expect(getBundle(two)).toEqual(getBundle(one));
});

test('the registry server reads a source with an absolute path at run time, every minute by default', () => {
  const of = (source: string) =>
    getBundle(compileFiles({ 'registry.yaml': CONFIG.replace('{ path: catalog/servers.json }', source) })).sources[0];
  const from = { type: 'file', path: '/srv/servers.json' };
  expect(of('{ path: /srv/servers.json }')).toMatchObject({ from, intervalMs: 60_000 });
  expect(of('{ path: /srv/servers.json }\n    syncPolicy: { interval: 5m }')).toMatchObject({
    from,
    intervalMs: 300_000,
  });
});

test('the compiler reports a timeout and an interval of a bundled registry source as without effect', () => {
  const config = CONFIG.replace('servers.json }', 'servers.json, timeout: 5s }\n    syncPolicy: { interval: 5m }');
  expect(formatFindings(compiledWith(file(WEATHER), config))).toEqual([
    'LNT1008 3:41-3:48 sources[0].file.timeout has no effect: a local file is not requested',
    'LNT1008 4:5-4:15 sources[0].syncPolicy has no effect: a relative path is read when the bundle is built',
  ]);
});

test('a relative path in an MCPRegistry is relative to the folder of the manifest', () => {
  const manifest = `apiVersion: lintel.dev/v1beta1
kind: MCPRegistry
metadata: { name: company }
spec:
  configYAML: |
${CONFIG.replace(/^(?=.)/gm, '    ')}`;
  const compiled = compileFiles({ 'deploy/all.yaml': manifest, 'deploy/catalog/servers.json': file(WEATHER) });
  expect([formatFindings(compiled), namesOf(compiled)]).toEqual([[], ['com.example/weather 1.0.0']]);
  const broken = compileFiles({ 'deploy/all.yaml': manifest, 'deploy/catalog/servers.json': file({ name: 'x' }) });
  expect(broken.findings.diagnostics[0]).toMatchObject({
    code: 'LNT8022',
    file: 'deploy/catalog/servers.json',
    pointer: '/data/servers/0',
    object: { kind: 'MCPRegistry', name: 'company' },
    related: [{ message: 'the source "a" reads it', file: 'deploy/all.yaml', range: { start: { line: 8 } } }],
  });
});

describe('filters of bundled sources', () => {
  const filtered = (filter: string) =>
    compiledWith(
      file(
        { ...WEATHER, ...tagged('beta') },
        { ...WEATHER, name: 'com.example/tools.x' },
        {
          ...WEATHER,
          name: 'org.other/weather',
          ...tagged('stable'),
        },
      ),
      CONFIG.replace('servers.json }', `servers.json }\n    filter: ${filter}`),
    );
  const all = ['com.example/tools.x 1.0.0', 'com.example/weather 1.0.0', 'org.other/weather 1.0.0'];
  test.each<[string, string[]]>([
    ['{ names: { include: ["com.*"] } }', all.slice(0, 2)],
    ['{ names: { include: ["*weather"], exclude: ["org.*"] } }', all.slice(1, 2)],
    ['{ tags: { include: [beta, stable] } }', all.slice(1)],
    ['{ tags: { exclude: [beta] } }', [all[0] ?? '', all[2] ?? '']],
  ])('the filter %s of a bundled registry source keeps the entries that match', (filter, expected) => {
    const compiled = filtered(filter);
    expect([formatFindings(compiled), namesOf(compiled)]).toEqual([[], expected]);
  });

  test('a filter that excludes all entries of a registry source gives LNT8025', () => {
    const compiled = filtered('{ tags: { include: [gamma] } }');
    expect(formatFindings(compiled)).toEqual([
      'LNT8025 4:5-4:11 none of the 3 entries of deploy/catalog/servers.json passes the filter',
    ]);
    expect([compiled.hasErrors, namesOf(compiled)]).toEqual([false, []]);
  });
});

describe('mistakes in a file of entries', () => {
  const pretty = (servers: object[]) => JSON.stringify({ data: { servers } }, null, 2);
  test.each<[string, string]>([
    ['{ "data": { "servers": [] } }', 'LNT8021 1:24-1:26 data.servers needs one server at least'],
    [
      '{ "servers": {} }',
      'LNT8021 1:1-1:18 the file needs data.servers, a list of servers in the format of the official registry',
    ],
    ['[1]', 'LNT8021 1:1-1:4 the file must be a JSON object with data.servers'],
    ['', 'LNT8021 1:1-1:1 the file is not JSON'],
    [
      pretty([WEATHER, { ...WEATHER, name: 'weather' }]),
      'LNT8022 10:17-10:26 data.servers[1].name must be a name such as com.example/weather, of 3 to 200 characters',
    ],
    [pretty([{ name: 'a/b', version: '1.0.0' }]), 'LNT8022 5:17-5:22 data.servers[0] needs "description"'],
    [
      pretty([WEATHER, WEATHER]),
      'LNT8023 10:17-10:38 data.servers[1] is a second entry for version "1.0.0" of com.example/weather',
    ],
    [
      pretty([{ ...WEATHER, $schema: 'https://example.com' }]),
      'LNT8024 8:20-8:41 data.servers[0].$schema must be the URL of a published version: https://static.modelcontextprotocol.io/schemas/<date>/server.schema.json with 2025-12-11, 2025-10-17, 2025-10-11, 2025-09-29, 2025-09-16',
    ],
  ])('the compiler reports a mistake in a file of registry entries at its place (case %#)', (text, expected) => {
    const compiled = compiledWith(text);
    expect(formatFindings(compiled)).toEqual([expected]);
    expect(compiled.registries).toMatchObject([{ bundle: null, files: [] }]);
    expect(compiled.findings.diagnostics[0]).toMatchObject({ file: 'deploy/catalog/servers.json', severity: 'error' });
  });

  test('lintel build bundles a registry entry with a newer $schema and gives LNT8031, unless the entry has an error', () => {
    const $schema = 'https://static.modelcontextprotocol.io/schemas/2999-01-31/server.schema.json';
    const kept = compiledWith(pretty([{ ...WEATHER, $schema, later: true }]));
    expect(formatFindings(kept)).toEqual([
      'LNT8031 8:20-8:98 data.servers[0].$schema is newer than 2025-12-11, by which the entry was checked',
    ]);
    expect([kept.hasErrors, namesOf(kept)]).toEqual([false, [`${WEATHER.name} ${WEATHER.version}`]]);
    const refused = compiledWith(pretty([{ ...WEATHER, $schema, title: 5 }]));
    expect(formatFindings(refused)).toEqual([
      expect.stringMatching(/^LNT8022 .* data.servers\[0\].title must be a string/),
    ]);
  });

  test('the compiler reports a missing file of registry entries', () => {
    expect(formatFindings(compileFiles({ 'deploy/registry.yaml': CONFIG }))).toEqual([
      'LNT8020 3:19-3:39 deploy/catalog/servers.json was not read',
    ]);
  });
});
