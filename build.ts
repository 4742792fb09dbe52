/** Builds what ships into `dist/`: four executables, four libraries, type declarations, the bill of materials. `npm ci` runs it by `prepare`. */
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { listPackages, listShippedFiles } from './build/contents.ts';
import { collectNotices } from './build/notices.ts';
import { generateSbom } from './build/sbom.ts';

/** What ships. It is built next to and then put in its place, so that whoever uses it meanwhile finds it whole. */
const SHIPPED = 'dist';
const OUT = `dist.${process.pid}`;

const EXECUTABLES = {
  lintel: 'compiler/main.ts',
  'lintel-runtime': 'runtime/main.ts',
  'lintel-controller': 'controller/main.ts',
  'lintel-bridge': 'bridge/main.ts',
};

/** Started by an executable, from next to it. */
const WORKERS = {
  'lintel-controller-compile': 'controller/compile/worker.ts',
  'lintel-program': 'compiler/program/child/main.ts',
  'lintel-program-types': 'compiler/program/types-process.ts',
};

/** Packages of several files, each made one that lies next to the executables (`BESIDE`). */
const BUNDLED_BESIDE = {
  'redis-client': 'ioredis',
  'otlp-client': 'runtime/observe/otlp/sdk.ts',
  'auth-server': 'runtime/authserver/open.ts',
  'language-server': 'compiler/language-server/lsp-library.ts',
};

const LIBRARIES = { compiler: 'compiler/index.ts', schemas: 'schemas/index.ts' };

/** For programs of users and their tests: as ES modules and as CommonJS, which is what cdk8s projects and jest are by default. */
const OF_PROGRAMS = { cdk8s: 'compiler/cdk8s/index.ts', testing: 'testing/index.ts' };

/** One copy of them in a program: constructs of two copies do not know each other. */
const PEERS = ['cdk8s', 'constructs'];

/** CommonJS dependencies call `require`, which an ES module does not have. */
const requireBanner =
  "import { createRequire as lintelCreateRequire } from 'node:module';const require = lintelCreateRequire(import.meta.url);";

/** What is loaded from next to the executables when it is needed: by the name it is asked for, the package and the files that are copied. */
const BESIDE: Readonly<Record<string, { name: string; entry: string; files: Readonly<Record<string, string>> }>> = {
  ioredis: { name: 'ioredis', entry: './redis-client.cjs', files: {} },
  './sdk.ts': { name: '@opentelemetry/api', entry: './otlp-client.cjs', files: {} },
  './authserver/open.ts': { name: 'oidc-provider', entry: './auth-server.cjs', files: {} },
  './lsp-library.ts': { name: 'vscode-languageserver', entry: './language-server.cjs', files: {} },
  '@cedar-policy/cedar-wasm/nodejs': {
    name: '@cedar-policy/cedar-wasm',
    entry: './cedar-wasm/cedar_wasm.cjs',
    files: {
      'nodejs/cedar_wasm.js': 'cedar-wasm/cedar_wasm.cjs',
      'nodejs/cedar_wasm_bg.wasm': 'cedar-wasm/cedar_wasm_bg.wasm',
    },
  },
};

const besides: Plugin = {
  name: 'beside',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:@|ioredis$|\.\/sdk\.ts$|\.\/authserver\/open\.ts$|\.\/lsp-library\.ts$)/ }, ({ path }) => {
      const entry = BESIDE[path]?.entry;
      return entry === undefined ? undefined : { path: entry, external: true };
    });
  },
};

/**
 * In an executable Node's own modules are required: whoever imports one makes Node read each of its exports, the lazy ones too, and those of
 * `node:http` alone load all of fetch, a tenth of the runtime's start.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'builtins' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'builtins' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** Schemas are read faster as JSON than as code. */
const schemas: Plugin = {
  name: 'schemas',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:schemas|pods)\/generated\/.*\.json$/ }, async ({ path }) => {
      const json = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      return { contents: `export default /* @__PURE__ */ JSON.parse(${JSON.stringify(json)});` };
    });
  },
};

/** HTTP/2 is never spoken to backends (`allowH2: false`), and loading Node's module for it takes time at each start. */
const noHttp2: Plugin = {
  name: 'no-http2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/client-h2\.js$/ }, ({ path }) => ({ path, namespace: 'no-http2' }));
    onLoad({ filter: /.*/, namespace: 'no-http2' }, () => ({ contents: '' }));
  },
};

/** The exporters over gRPC hide from bundlers that they require it: so it would be looked for where nothing is installed. */
const plainRequire: Plugin = {
  name: 'plain-require',
  setup({ onLoad }) {
    onLoad({ filter: /\/otlp-grpc-exporter-base\/dist\/[^/]*\.mjs$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('__require(', 'require('),
    }));
  },
};

const shared = {
  bundle: true,
  outdir: OUT,
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  conditions: ['lintel-source'] as string[],
  // What it gives to `require` hides its own parts from bundlers.
  alias: { 'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js' },
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  // What undici asks for to leave out its experimental parser, as Node's own copy of it does.
  define: { esbuildDetection: 'true' },
  banner: { js: requireBanner },
  plugins: [besides, noHttp2, schemas] as Plugin[],
} as const;

// Each executable is one file, but for what it loads from next to it: the runtime's image holds nothing else.
const results = await Promise.all([
  ...Object.entries({ ...EXECUTABLES, ...WORKERS }).map(([name, entry]) =>
    // Short to read at each start, and yet with the names and lines that a stack trace needs.
    build({
      ...shared,
      entryPoints: { [name]: entry },
      plugins: [...shared.plugins, builtins],
      minifySyntax: true,
      minifyWhitespace: true,
      lineLimit: 200,
    }),
  ),
  build({ ...shared, entryPoints: LIBRARIES }),
  build({
    ...shared,
    entryPoints: BUNDLED_BESIDE,
    plugins: [plainRequire],
    // oidc-provider knows its models by the names of their classes.
    keepNames: true,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: {},
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 200,
  }),
  build({ ...shared, entryPoints: OF_PROGRAMS, external: PEERS }),
  build({
    ...shared,
    entryPoints: OF_PROGRAMS,
    external: PEERS,
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: { ...shared.define, 'import.meta.url': 'lintelUrl' },
    banner: { js: "const lintelUrl = require('node:url').pathToFileURL(__filename).href;" },
  }),
]);
const copied = Object.values(BESIDE).flatMap(({ name, files }) =>
  Object.entries(files).map(([from, to]) => ({ name: to, folder: `node_modules/${name}`, from })),
);
for (const { name, folder, from } of copied) {
  await mkdir(dirname(`${OUT}/${name}`), { recursive: true });
  await copyFile(`${folder}/${from}`, `${OUT}/${name}`);
}
for (const name of Object.keys(EXECUTABLES)) await chmod(`${OUT}/${name}.js`, 0o755);

const files = await listShippedFiles(
  results.map(({ metafile }) => metafile),
  OUT,
  copied,
);
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
await writeFile(`${OUT}/sbom.cdx.json`, generateSbom(manifest, files));
await writeFile(`${OUT}/THIRD-PARTY-NOTICES.txt`, await collectNotices(listPackages(files)));

execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', `${OUT}/types`], { stdio: 'inherit' });
// No declaration of what ships mentions them.
for (const room of ['runtime', 'git', 'search', 'util'])
  await rm(`${OUT}/types/${room}`, { recursive: true, force: true });
// Projects with `moduleResolution: node`, as cdk8s makes them, know neither `imports` of a package nor the endings of sources.
for (const entry of await readdir(`${OUT}/types`, { recursive: true })) {
  if (!entry.endsWith('.d.ts')) continue;
  const up = '../'.repeat(entry.split('/').length - 1) || './';
  const text = await readFile(`${OUT}/types/${entry}`, 'utf8');
  const portable = text
    .replace(/'#(schemas|compiler)'/g, `'${up}$1/index.js'`)
    .replace(/((?:from |import\()')(\.[^']*)\.ts'/g, "$1$2.js'");
  await writeFile(`${OUT}/types/${entry}`, byName(portable));
}
// The same once more for whoever requires them: the folder says that its modules are CommonJS.
await cp(`${OUT}/types`, `${OUT}/types-commonjs`, { recursive: true });
await writeFile(`${OUT}/types-commonjs/package.json`, '{ "type": "commonjs" }\n');

/**
 * Classes by their names. With `#private` each declaration would be a class of its own, and what a library of CommonJS makes would fit
 * into nothing of a program of ES modules, which works when it runs.
 */
function byName(declarations: string): string {
  let name = '';
  return declarations
    .split('\n')
    .map(line => {
      name = /\bclass (\w+)/.exec(line)?.[1] ?? name;
      return line.replace(
        /^( +)#private;$/,
        `$1/** Tells it from what only looks like it. */\n$1readonly 'lintel.dev/${name}': true;`,
      );
    })
    .join('\n');
}

const former = `${OUT}.former`;
await rename(SHIPPED, former).catch(() => {});
await rename(OUT, SHIPPED);
await rm(former, { recursive: true, force: true });
