import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkServer, MAX_ENTRY_BYTES } from '#schemas';

const SCHEMA = (date: string) => `https://static.modelcontextprotocol.io/schemas/${date}/server.schema.json`;
const GOOD = { name: 'com.example/weather', description: 'Forecasts.', version: '1.0.0' };
const NPM = { registryType: 'npm', identifier: '@example/weather', version: '1.0.0', transport: { type: 'stdio' } };
const MCPB = { registryType: 'mcpb', identifier: 'https://example.com/a.mcpb', transport: { type: 'stdio' } };

const problemsOf = (server: unknown): string[] =>
  checkServer(server).map(({ pointer, message }) => `${pointer} ${message}`);

describe('an entry is accepted', () => {
  test.each<[string, object]>([
    ['only the required members', {}],
    ['the newest $schema', { $schema: SCHEMA('2025-12-11') }],
    ['unknown members', { x: 1, _meta: { y: [] } }],
    ['a text of 100 characters, counted as code points', { description: '🌦'.repeat(100), title: 'é'.repeat(100) }],
    [
      'all members',
      {
        $schema: SCHEMA('2025-12-11'),
        title: 'Weather',
        websiteUrl: 'https://example.com/weather',
        repository: { url: 'https://github.com/example/weather', source: 'github', id: '1', subfolder: 'src' },
        icons: [{ src: 'https://example.com/a.png', mimeType: 'image/png', sizes: ['48x48', 'any'], theme: 'dark' }],
        packages: [
          {
            ...NPM,
            registryBaseUrl: 'https://registry.npmjs.org',
            runtimeHint: 'npx',
            runtimeArguments: [{ type: 'named', name: '--yes', isRepeated: false }],
            packageArguments: [{ type: 'positional', valueHint: 'city', isRequired: true, format: 'string' }],
            environmentVariables: [
              { name: 'KEY', isSecret: true, value: '{a}', variables: { a: { default: 'x', choices: ['x'] } } },
            ],
          },
          { ...MCPB, fileSha256: '0a'.repeat(32) },
          { ...NPM, transport: { type: 'sse', url: 'http://localhost:{port}/sse' } },
        ],
        remotes: [
          {
            type: 'streamable-http',
            url: 'https://{tenant}.example.com/mcp',
            headers: [{ name: 'X-Key', isRequired: true }],
            variables: { tenant: { description: 'Yours' } },
          },
        ],
        _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { any: 'thing' } },
      },
    ],
  ])('a registry entry is accepted with %s', (_, more) => {
    expect(problemsOf({ ...GOOD, ...more })).toEqual([]);
  });
});

describe('an entry is refused with the place', () => {
  const name = '/name must be a name such as com.example/weather, of 3 to 200 characters';
  const version = 'must be one version of 1 to 255 characters: neither "latest" nor a range';
  const url = 'must be an http or https URL without white space';
  test.each<[unknown, string]>([
    [null, ' must be an object'],
    [[], ' must be an object'],
    [without(GOOD, 'name'), ' needs "name"'],
    [{ ...GOOD, name: 'weather' }, name],
    [{ ...GOOD, name: 'a/b/c' }, name],
    [{ ...GOOD, name: 'a/b\n' }, name],
    [{ ...GOOD, name: `a/${'b'.repeat(200)}` }, name],
    [{ ...GOOD, name: 7 }, '/name must be a string'],
    [{ ...GOOD, description: '' }, '/description must be a text of 1 to 100 characters'],
    [{ ...GOOD, description: 'x'.repeat(101) }, '/description must be a text of 1 to 100 characters'],
    [{ ...GOOD, title: '' }, '/title must be a text of 1 to 100 characters'],
    ...['', 'latest', '^1.2.3', '~1.2.3', '>=1.2.3', '1.x', '1.*', '*', '1.0.0 || 2.0.0', 'v'.repeat(256)].map(
      (text): [unknown, string] => [{ ...GOOD, version: text }, `/version ${version}`],
    ),
    [{ ...GOOD, websiteUrl: 'javascript:alert(1)' }, '/websiteUrl must be an http or https URL'],
    [{ ...GOOD, repository: { url: 'https://a.example' } }, '/repository needs "source"'],
    [
      { ...GOOD, repository: { url: 'a b', source: 'x' } },
      '/repository/url must be a URI such as https://example.com/page',
    ],
    [
      { ...GOOD, icons: [{ src: 'http://a.example/a.png' }] },
      '/icons/0/src must be an https URL of at most 255 characters',
    ],
    [
      { ...GOOD, icons: [{ src: 'https://a.example/a.png', sizes: ['big'] }] },
      '/icons/0/sizes/0 must be a size such as 48x48, or any',
    ],
    [{ ...GOOD, packages: {} }, '/packages must be a list'],
    [{ ...GOOD, packages: [without(NPM, 'transport')] }, '/packages/0 needs "transport"'],
    [{ ...GOOD, packages: [{ ...NPM, version: 'latest' }] }, `/packages/0/version ${version}`],
    [{ ...GOOD, packages: [MCPB] }, '/packages/0 needs "fileSha256", as every mcpb package'],
    [
      { ...GOOD, packages: [{ ...NPM, transport: { type: 'carrier-pigeon' } }] },
      '/packages/0/transport/type must be "stdio", "streamable-http" or "sse"',
    ],
    [
      { ...GOOD, packages: [{ ...NPM, packageArguments: [{ type: 'positional' }] }] },
      '/packages/0/packageArguments/0 needs "value" or "valueHint"',
    ],
    [
      { ...GOOD, packages: [{ ...NPM, packageArguments: [{ type: 'toString' }] }] },
      '/packages/0/packageArguments/0/type must be "positional" or "named"',
    ],
    [{ ...GOOD, remotes: [{ type: 'stdio' }] }, '/remotes/0/type must be "streamable-http" or "sse"'],
    [{ ...GOOD, remotes: [{ type: 'sse', url: 'ftp://a.example' }] }, `/remotes/0/url ${url}`],
    [{ ...GOOD, remotes: [{ type: 'sse', url: 'https://a b' }] }, `/remotes/0/url ${url}`],
    [
      { ...GOOD, remotes: [{ type: 'sse', url: 'https://a.example', variables: { 'a/b': [] } }] },
      '/remotes/0/variables/a~1b must be an object',
    ],
    [
      { ...GOOD, _meta: { 'io.modelcontextprotocol.registry/publisher-provided': [] } },
      '/_meta/io.modelcontextprotocol.registry~1publisher-provided must be an object',
    ],
    [{ ...GOOD, x: '\ud800' }, ' has a text that is no Unicode'],
    [{ ...GOOD, x: 'x'.repeat(MAX_ENTRY_BYTES) }, ` has more than ${MAX_ENTRY_BYTES} bytes`],
    [{ ...GOOD, x: nested(100) }, ' is nested deeper than 64 levels'],
    [nested(100_000), ' is nested deeper than 64 levels'],
  ])('a registry entry with a mistake is refused with the place of the mistake: case %#', (server, expected) => {
    expect(problemsOf(server)).toEqual([expected]);
  });
});

describe('by its own version', () => {
  const withoutVersion = without(NPM, 'version');
  const template = [{ type: 'streamable-http', url: '{base}/mcp' }];
  test.each<[string, object, number]>([
    ['2025-12-11', { packages: [withoutVersion] }, 0],
    ['2025-10-17', { packages: [withoutVersion] }, 0],
    ['2025-10-11', { packages: [withoutVersion] }, 0],
    ['2025-09-29', { packages: [withoutVersion] }, 1],
    ['2025-09-16', { packages: [withoutVersion] }, 1],
    ['2025-12-11', { remotes: template }, 1],
    ['2025-10-17', { remotes: template }, 0],
    ['2025-09-29', { status: 'retired' }, 0],
    ['2025-09-16', { status: 'retired' }, 1],
    ['2025-09-16', { status: 'deprecated' }, 0],
  ])('a registry entry is checked by the rules of its own $schema %s: %j', (date, more, problems) => {
    expect(problemsOf({ ...GOOD, $schema: SCHEMA(date), ...more })).toHaveLength(problems);
  });

  test.each([SCHEMA('2030-01-01'), SCHEMA('2025-12-11').replace('https', 'http'), '', 7, null, 'toString'])(
    'the error about $schema %j of a registry entry names the known versions',
    $schema => {
      const [problem, ...others] = checkServer({ ...GOOD, $schema });
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ pointer: '/$schema', kind: 'schema' });
      expect(problem?.message).toContain('with 2025-12-11, 2025-10-17, 2025-10-11, 2025-09-29, 2025-09-16');
    },
  );

  test('a registry entry of the first version, which used other names of members, is refused with advice', () => {
    expect(problemsOf({ ...GOOD, $schema: SCHEMA('2025-07-09') })).toEqual([
      `/$schema is the version of 2025-07-09, whose members were named in another way: name them in camelCase and write ${SCHEMA('2025-12-11')}`,
    ]);
  });
});

test('the check of registry entries accepts any JSON without an exception', () => {
  const wild = fc.oneof(
    fc.jsonValue(),
    fc.anything(),
    fc.record(
      {
        $schema: fc.constantFrom(...['2025-09-16', '2025-12-11'].map(SCHEMA)),
        name: fc.oneof(fc.constant(GOOD.name), fc.jsonValue()),
        description: fc.oneof(fc.string(), fc.jsonValue()),
        version: fc.oneof(fc.string(), fc.constant('1.0.0')),
        packages: fc.oneof(fc.array(fc.jsonValue()), fc.constant([NPM])),
        remotes: fc.array(fc.record({ type: fc.constantFrom('sse', '__proto__'), url: fc.webUrl() })),
        _meta: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(wild, value => {
      for (const { pointer, message } of checkServer(value)) {
        expect(pointer).toMatch(/^(?:\/|$)/);
        expect(message).toMatch(/^(?:must|needs|has|is) /);
      }
    }),
    { numRuns: 500 },
  );
});

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

function without(object: object, member: string): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
}
