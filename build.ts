/** Builds what ships into `dist/`: four executables, four libraries, type declarations, the bill of materials. `npm ci` runs it by `prepare`. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { BESIDE, modelNames, ofExecutables, plainRequire, shared } from './build/bundling.ts';
import { listPackages, listShippedFiles } from './build/contents.ts';
import { logStep } from './build/log-step.ts';
import { collectNotices } from './build/notices.ts';
import { generateSbom } from './build/sbom.ts';

/**
 * The folder that ships. It is built in a temporary folder and then swapped in, so that a program that reads it during a build finds it
 * complete.
 */
const SHIPPED = 'dist';
const OUT = `dist.${process.pid}`;

const EXECUTABLES = {
  lintel: 'compiler/start.ts',
  'lintel-runtime': 'runtime/main.ts',
  'lintel-controller': 'controller/main.ts',
  'lintel-bridge': 'bridge/main.ts',
};

/** Files that an executable loads or starts from its own folder. */
const PARTS = {
  'lintel-commands': 'compiler/main.ts',
  'lintel-controller-compile': 'controller/compile/worker.ts',
  'lintel-program': 'compiler/program/child/main.ts',
  'lintel-program-types': 'compiler/program/types-process.ts',
};

/** Packages of several files. Each is bundled into one file next to the executables (`BESIDE`). */
const BUNDLED_BESIDE = {
  'redis-client': 'ioredis',
  'otlp-client': 'runtime/observe/otlp/sdk.ts',
  'auth-server': 'runtime/authserver/open.ts',
  'language-server': 'compiler/language-server/lsp-library.ts',
};

const LIBRARIES = { compiler: 'compiler/index.ts', schemas: 'schemas/index.ts' };

/** Libraries for users' programs and tests, as ES modules and as CommonJS: cdk8s projects and jest use CommonJS by default. */
const OF_PROGRAMS = { cdk8s: 'compiler/cdk8s/index.ts', testing: 'testing/index.ts' };

/** Packages that must exist once in a program: constructs of two copies are not compatible. */
const PEERS = ['cdk8s', 'constructs'];

logStep('building dist/: programs and libraries');
// Each executable is one file, except for the files that it loads from its own folder: the image of the runtime contains nothing else.
const results = await Promise.all([
  ...Object.entries({ ...EXECUTABLES, ...PARTS }).map(([name, entry]) =>
    build({ ...ofExecutables, outdir: OUT, metafile: true, entryPoints: { [name]: entry } }),
  ),
  build({ ...shared, outdir: OUT, entryPoints: LIBRARIES }),
  build({
    ...shared,
    outdir: OUT,
    entryPoints: BUNDLED_BESIDE,
    plugins: [plainRequire, modelNames],
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    banner: {},
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 200,
  }),
  build({ ...shared, outdir: OUT, entryPoints: OF_PROGRAMS, external: PEERS }),
  build({
    ...shared,
    outdir: OUT,
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

if (process.env.LINTEL_BUILD === 'programs') await keepDeclarations();
else await writeDeclarations();
await putInPlace();

/** Keeps the declarations of the last full build with their times, so that the next full build sees that they are old. */
async function keepDeclarations(): Promise<void> {
  for (const name of ['types', 'types-commonjs']) {
    if (existsSync(`${SHIPPED}/${name}`))
      await cp(`${SHIPPED}/${name}`, `${OUT}/${name}`, { recursive: true, preserveTimestamps: true });
  }
}

async function writeDeclarations(): Promise<void> {
  logStep('building dist/: declarations of types');
  execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', `${OUT}/types`], { stdio: 'inherit' });
  // No shipped declaration refers to these.
  for (const room of ['runtime', 'shared/git', 'shared/search', 'shared/util'])
    await rm(`${OUT}/types/${room}`, { recursive: true, force: true });
  // Projects with `moduleResolution: node`, the default of cdk8s, support neither a package's `imports` nor source file extensions.
  for (const entry of await readdir(`${OUT}/types`, { recursive: true })) {
    if (!entry.endsWith('.d.ts')) continue;
    const up = '../'.repeat(entry.split('/').length - 1) || './';
    const text = await readFile(`${OUT}/types/${entry}`, 'utf8');
    const portable = text
      .replace(/'#(schemas|compiler|shared\/plan)'/g, `'${up}$1/index.js'`)
      .replace(/((?:from |import\()')(\.[^']*)\.ts'/g, "$1$2.js'");
    await writeFile(`${OUT}/types/${entry}`, byName(portable));
  }
  // A second copy for CommonJS users; the `package.json` of the folder says that its modules are CommonJS.
  await cp(`${OUT}/types`, `${OUT}/types-commonjs`, { recursive: true });
  await writeFile(`${OUT}/types-commonjs/package.json`, '{ "type": "commonjs" }\n');
}

/**
 * Compares classes by name. With `#private`, the declarations for CommonJS and for ES modules would be different types, so TypeScript would
 * refuse a mix of both that works at run time.
 */
function byName(declarations: string): string {
  let name = '';
  return declarations
    .split('\n')
    .map(line => {
      name = /\bclass (\w+)/.exec(line)?.[1] ?? name;
      return line.replace(
        /^( +)#private;$/,
        `$1/** Distinguishes the type from others with the same shape. */\n$1readonly 'lintel.dev/${name}': true;`,
      );
    })
    .join('\n');
}

async function putInPlace(): Promise<void> {
  const former = `${OUT}.former`;
  await rename(SHIPPED, former).catch(() => {});
  await rename(OUT, SHIPPED);
  await rm(former, { recursive: true, force: true });
}
