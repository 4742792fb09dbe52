/** How each program is bundled into one file. Paths are relative to the folder of the package. */
import { readFile } from 'node:fs/promises';
import { type BuildOptions, type Plugin, transform } from 'esbuild';

/** CommonJS dependencies call `require`, which an ES module does not have. */
const requireBanner =
  "import { createRequire as lintelCreateRequire } from 'node:module';const require = lintelCreateRequire(import.meta.url);";

/** Files that the executables load at run time from the folder in which they are: the package and the files to copy, by import name. */
export const BESIDE: Readonly<
  Record<string, { name: string; entry: string; files: Readonly<Record<string, string>> }>
> = {
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
 * Executables load Node's own modules by `require`: an `import` makes Node read each of its exports, lazy ones included, and the exports of
 * `node:http` load all of fetch, which takes a tenth of the runtime's start.
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

/** Bundles schemas as JSON texts, which Node parses faster than code. */
const schemas: Plugin = {
  name: 'schemas',
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:schemas|pods)\/generated\/.*\.json$/ }, async ({ path }) => {
      const json = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      return { contents: `export default /* @__PURE__ */ JSON.parse(${JSON.stringify(json)});` };
    });
  },
};

/** The runtime never speaks HTTP/2 to backends (`allowH2: false`), and loading Node's module for it slows each start. */
const noHttp2: Plugin = {
  name: 'no-http2',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\/client-h2\.js$/ }, ({ path }) => ({ path, namespace: 'no-http2' }));
    onLoad({ filter: /.*/, namespace: 'no-http2' }, () => ({ contents: '' }));
  },
};

/** The gRPC exporters hide their `require` from bundlers, so Node would look for the module in `node_modules`, which is not shipped. */
export const plainRequire: Plugin = {
  name: 'plain-require',
  setup({ onLoad }) {
    onLoad({ filter: /\/otlp-grpc-exporter-base\/dist\/[^/]*\.mjs$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('__require(', 'require('),
    }));
  },
};

/**
 * oidc-provider knows its models by the names of their classes, and a bundler renames one of two classes with the same name. `keepNames` would
 * prevent that, but would slow down requests: it sets the name of every function that a request creates.
 */
export const modelNames: Plugin = {
  name: 'model-names',
  setup({ onLoad }) {
    onLoad({ filter: /\/oidc-provider\/lib\/models\/[^/]*\.js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { keepNames: true });
      return { contents: code };
    });
  },
};

/** Options of all programs and libraries. */
export const shared = {
  bundle: true,
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  conditions: ['lintel-source'] as string[],
  // The default entry of jsonc-parser loads its own modules by calls that bundlers do not recognize (UMD). This entry consists of ES modules.
  alias: { 'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js' },
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  // Makes undici leave out its experimental parser, as Node's own copy does.
  define: { esbuildDetection: 'true' },
  banner: { js: requireBanner },
  plugins: [besides, noHttp2, schemas] as Plugin[],
} as const;

/** Options for executables: fast to parse at each start, with the names and lines that stack traces need. */
export const ofExecutables: BuildOptions = {
  ...shared,
  plugins: [...shared.plugins, builtins],
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 200,
};
