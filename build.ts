/** Builds what ships into `dist/`: three executables, two libraries, type declarations. `npm ci` runs it by `prepare`. */
import { execFileSync } from 'node:child_process';
import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';

const OUT = 'dist';

const EXECUTABLES = {
  lintel: 'compiler/cli.ts',
  'lintel-runtime': 'runtime/main.ts',
  'lintel-controller': 'controller/main.ts',
};

const LIBRARIES = { compiler: 'compiler/index.ts', schemas: 'schemas/index.ts' };

await rm(OUT, { recursive: true, force: true });

/** CommonJS dependencies call `require`, which an ES module does not have. */
const requireBanner =
  "import { createRequire as lintelCreateRequire } from 'node:module';const require = lintelCreateRequire(import.meta.url);";

const shared = {
  bundle: true,
  outdir: OUT,
  platform: 'node',
  target: 'node22.19',
  format: 'esm',
  conditions: ['lintel-source'] as string[],
  legalComments: 'linked',
  logLevel: 'warning',
  metafile: true,
} as const;

await Promise.all([
  // Each executable is one file: the runtime's image holds nothing else.
  build({ ...shared, entryPoints: EXECUTABLES, minifySyntax: true, banner: { js: requireBanner } }),
  build({ ...shared, entryPoints: LIBRARIES, banner: { js: requireBanner } }),
]);
for (const name of Object.keys(EXECUTABLES)) await chmod(`${OUT}/${name}.js`, 0o755);

execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit' });
