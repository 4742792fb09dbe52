import { build } from 'esbuild';
import { cpSync } from 'node:fs';
const out = process.argv[2];
await build({ bundle: true, platform: 'node', target: 'node22.19', format: 'esm', conditions: ['lintel-source'], entryPoints: { lintel: 'compiler/cli.ts' }, outdir: out, minifySyntax: true, legalComments: 'none', absWorkingDir: '/tmp/wt/speed', banner: { js: "import { createRequire as lintelCreateRequire } from 'node:module';const require = lintelCreateRequire(import.meta.url);" }, plugins: [{ name: 'b', setup({ onResolve }) { onResolve({ filter: /^@cedar/ }, () => ({ path: './cedar-wasm/cedar_wasm.cjs', external: true })); } }] });
cpSync('/tmp/speedwork/distbase/cedar-wasm', out + '/cedar-wasm', { recursive: true });
