import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packagesIn, readSbom } from '../sbom/sbom.ts';
import { withPeers } from '../support/peers.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Which room may import which other rooms. This is written a second time, independently of the linter's configuration. */
const MAY_IMPORT: { readonly [room: string]: readonly string[] } = {
  schemas: [],
  'shared/plan': ['#schemas'],
  'shared/search': [],
  'shared/util': [],
  'shared/git': ['#schemas', '#shared/util'],
  compiler: ['#schemas', '#shared/plan', '#shared/search', '#shared/util'],
  runtime: ['#schemas', '#shared/plan', '#shared/git', '#shared/search', '#shared/util'],
  controller: ['#compiler', '#schemas', '#shared/git', '#shared/util'],
};

test('shared/ has rooms and no source files of its own', () => {
  const entries = readdirSync(join(ROOT, 'shared'), { withFileTypes: true });
  const folders = entries
    .filter(entry => entry.isDirectory() && entry.name !== 'adr')
    .map(({ name }) => `shared/${name}`);
  expect(folders.sort()).toEqual(
    Object.keys(MAY_IMPORT)
      .filter(room => room.startsWith('shared/'))
      .sort(),
  );
  expect(entries.filter(entry => entry.isFile()).map(({ name }) => name)).toEqual(['README.md']);
});

const filesOf = (room: string): string[] =>
  readdirSync(join(ROOT, room), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.(ts|mts|js|mjs)$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name));

const specifiersIn = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"]+)['"]/g)].map(match => match[1] ?? '');

describe.each(Object.entries(MAY_IMPORT))('%s', (room, allowed) => {
  const files = filesOf(room);

  test(`the top-level folder ${room} has source files`, () => expect(files.length).toBeGreaterThan(0));

  test(`the top-level folder ${room} imports only allowed top-level folders, and those only through their index.ts`, () => {
    const crossings = files.flatMap(file =>
      specifiersIn(readFileSync(file, 'utf8'))
        .filter(specifier => specifier.startsWith('#') || leaves(room, file, specifier))
        .filter(specifier => !allowed.includes(specifier))
        .map(specifier => `${file.slice(ROOT.length + 1)} -> ${specifier}`),
    );
    expect(crossings).toEqual([]);
  });

  test(`no file of the top-level folder ${room} switches a rule of dependency-cruiser off`, () => {
    const switches = files.filter(file =>
      /dependency-cruiser-disable|depcruise-ignore/.test(readFileSync(file, 'utf8')),
    );
    expect(switches).toEqual([]);
  });
});

function leaves(room: string, file: string, specifier: string): boolean {
  return specifier.startsWith('.') && !resolve(dirname(file), specifier).startsWith(`${join(ROOT, room)}/`);
}

/** Packages that may be in `lintel-runtime`. Adding one needs a decision record. */
const RUNTIME_PACKAGES = [
  // pino and its dependencies
  '@pinojs/redact',
  'atomic-sleep',
  'on-exit-leak-free',
  'pino',
  'pino-std-serializers',
  'quick-format-unescaped',
  'safe-stable-stringify',
  'sonic-boom',
  'thread-stream',
  // validates tokens of identity providers
  'jose',
  'oauth4webapi',
  // credentials for AWS, and CEL for choosing a role
  '@bufbuild/cel',
  '@bufbuild/cel-spec',
  '@bufbuild/protobuf',
  '@bufbuild/re2',
  'aws4fetch',
  // authorization, loaded from next to the executable
  '@cedar-policy/cedar-wasm',
  // small utilities
  'lru-cache',
  'p-limit',
  'yocto-queue',
  // outgoing connections
  'ipaddr.js',
  'undici',
];

/** Texts that identify a library in a built file, minified or not. */
const MARKERS: { readonly [library: string]: string } = {
  yaml: 'Implicit keys need to be on a single line',
  typebox: '~kind',
  commander: 'commander.unknownOption',
  ajv: 'strict mode: ',
  esbuild: 'ESBUILD_BINARY_PATH',
  // Next to the executable, for gateways with a Redis.
  ioredis: 'enableOfflineQueue options is false',
  // Next to the executable, for servers with a collector.
  '@opentelemetry/sdk-trace': 'Operation attempted on ended Span',
  '@grpc/grpc-js': 'grpc.service_config',
  // Next to the executable, for gateways that are their own issuer.
  'oidc-provider': 'authorization request has expired',
  fastify: 'FST_ERR_CTP_ALREADY_PRESENT',
  '@modelcontextprotocol/sdk/client/index.js': 'Server does not support',
};

describe('the built runtime', () => {
  const shipped = readFileSync(join(ROOT, 'dist/lintel-runtime.js'), 'utf8');
  const sbom = readSbom();

  test('the hash of lintel-runtime.js in the bill of materials is that of the built file', () => {
    const [hash] = sbom.components.find(({ name }) => name === 'lintel-runtime.js')?.hashes ?? [];
    expect(hash?.content).toBe(createHash('sha256').update(shipped).digest('hex'));
  });

  test('the built runtime contains only Latin-1 characters, because V8 would otherwise use two bytes for each character', () => {
    expect(shipped.match(/.{0,40}[\u0100-\u{10ffff}].{0,40}/u)?.[0]).toBeUndefined();
  });

  test('the built runtime contains exactly the listed npm packages', () => {
    expect(packagesIn(sbom, 'lintel-runtime.js')).toEqual(RUNTIME_PACKAGES.toSorted());
  });

  test.each(Object.entries(MARKERS))('the built runtime does not contain code of %s', async (library, marker) => {
    const { outputFiles } = await build({
      stdin: { contents: `import * as library from '${library}'; console.log(library);`, resolveDir: ROOT },
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    expect(outputFiles[0]?.text, 'the marker recognizes the library').toContain(marker);
    expect(shipped).not.toContain(marker);
  });

  test('the build puts the Redis client into a file apart from the runtime', () => {
    const client = readFileSync(join(ROOT, 'dist/redis-client.cjs'), 'utf8');
    expect(client).toContain(MARKERS.ioredis);
    expect(client, 'nothing that would be loaded from elsewhere').not.toMatch(
      /require\("(?!node:)[^"]*(?:redis|debug|denque)/,
    );
  });

  test('the build puts the OTLP client into a file apart from the runtime', () => {
    const client = readFileSync(join(ROOT, 'dist/otlp-client.cjs'), 'utf8');
    expect(client).toContain(MARKERS['@opentelemetry/sdk-trace']);
    expect(client, 'nothing that would be loaded from elsewhere').not.toMatch(
      /require\("(?!node:)[^"]*(?:opentelemetry|grpc|proto)/,
    );
  });

  test('the build puts the authorization server into a file apart from the runtime', () => {
    const server = readFileSync(join(ROOT, 'dist/auth-server.cjs'), 'utf8');
    expect(server).toContain(MARKERS['oidc-provider']);
    expect(server).toContain(MARKERS.fastify);
    expect(server, 'nothing that would be loaded from elsewhere').not.toMatch(
      /require\("(?!node:)[^"]*(?:oidc|koa|fastify|jose|oauth4webapi)/,
    );
    // oidc-provider looks up its models by class name; other functions must not get their names set again in each request.
    for (const model of ['AccessToken', 'AuthorizationCode', 'Grant', 'RefreshToken'])
      expect(server).toMatch(new RegExp(`__name\\d*\\(\\s*this,\\s*"${model}"`));
    expect(server.match(/__name\d*\(/g)?.length ?? 0).toBeLessThan(100);
    // A file that mentions it imports it on demand, not when the executable starts.
    expect(shipped.match(/.{7}"\.\/auth-server\.cjs"/g)).toEqual(['import("./auth-server.cjs"']);
  });

  test('the build puts the language server into a file that only `lintel lsp` loads', () => {
    const marker = 'textDocument/hover';
    const dist = join(ROOT, 'dist');
    const holders = readdirSync(dist).filter(
      name => /\.c?js$/.test(name) && readFileSync(join(dist, name), 'utf8').includes(marker),
    );
    expect(holders).toEqual(['language-server.cjs']);
    const program = readFileSync(join(dist, 'lintel-commands.js'), 'utf8');
    expect(program.match(/.{7}"\.\/language-server\.cjs"/g)).toEqual(['import("./language-server.cjs"']);
  });

  test('the built runtime contains no code of the compiler and no generated schema', () => {
    expect(shipped).not.toMatch(/LNT\d{4}/);
    expect(shipped).not.toContain('x-kubernetes-validations');
    const compiler = readFileSync(join(ROOT, 'dist/lintel-commands.js'), 'utf8');
    expect(compiler).toMatch(/LNT\d{4}/);
    expect(compiler).toContain('x-kubernetes-validations');
  });
});

/** The rule that refuses an import of a file in a room. Another file has the same import for each. */
const REFUSED = [
  ['runtime', '../compiler/index.ts', 'runtime-imports'],
  ['schemas', '../runtime/index.ts', 'schemas-imports'],
  ['compiler', '../schemas/names.ts', 'schemas-through-index'],
  ['compiler', '../shared/git/index.ts', 'compiler-imports'],
  ['shared/git', '../../compiler/index.ts', 'shared/git-imports'],
  ['shared/search', '../util/index.ts', 'shared/search-imports'],
  ['schemas', '../shared/plan/index.ts', 'schemas-imports'],
  ['shared/plan', '../../compiler/index.ts', 'shared/plan-imports'],
  ['shared/plan', 'node:fs', 'schemas-are-pure'],
  ['shared/util', '../../schemas/index.ts', 'shared/util-imports'],
  ['shared/util', '../git/index.ts', 'shared/util-imports'],
  ['runtime', '../shared/git/remote.ts', 'shared/git-through-index'],
  ['schemas', 'node:fs', 'schemas-are-pure'],
  ['compiler', './program/run.ts', 'commands-run-programs'],
] as const;

withPeers('dependency-cruiser').describe('the boundary linter', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lintel-boundary-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, code: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  };
  let output = '';
  beforeAll(() => {
    for (const room of [...Object.keys(MAY_IMPORT), 'examples']) write(`${room}/index.ts`, 'export {};\n');
    for (const file of ['schemas/names.ts', 'compiler/program/run.ts', 'shared/git/remote.ts'])
      write(file, 'export {};\n');
    write('tsconfig.json', '{}');
    for (const [index, [room, imported]] of REFUSED.entries())
      write(`${room}/bad-${index}.ts`, `import '${imported}';`);
    const linter = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
    const args = ['--config', join(ROOT, '.dependency-cruiser.cjs'), 'schemas', 'shared', 'compiler', 'runtime'];
    const { stdout } = spawnSync(process.execPath, [linter, ...args], { cwd: folder, encoding: 'utf8' });
    output = stripVTControlCharacters(stdout);
  });

  test.each(REFUSED.map((refused, index) => [...refused, index] as const))(
    'a file in %s that imports %s breaks the boundary rule %s',
    (room, _imported, rule, index) => expect(output).toContain(`error ${rule}: ${room}/bad-${index}.ts`),
  );
});
