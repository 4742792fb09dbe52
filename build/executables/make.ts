/** Single executables of `lintel` and `lintel-bridge`: the Node that runs this script, with the shipped files as assets. */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { inject } from 'postject';
import { STANDALONE_PARTS } from '../../compiler/cdk8s/generate/standalone-source.ts';
import { ignoreStep, type LogStep } from '../log-step.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * The marker that tells Node's loader that the executable contains an application. @see
 * https://nodejs.org/docs/latest-v24.x/api/single-executable-applications.html
 */
const SENTINEL_FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Patterns of the package's files that executables contain. */
const ASSETS: Readonly<Record<string, readonly string[]>> = {
  lintel: [
    'package.json',
    'LICENSE',
    'dist/{lintel,lintel-commands,lintel-runtime,lintel-bridge}.js',
    'dist/{auth-server,language-server,otlp-client,redis-client}.cjs',
    'dist/cedar-wasm/*',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/sbom.cdx.json',
    'examples/ci/*.yml',
    'schemas/generated/{crd,json}/*',
    'schemas/generated/REFERENCE.md',
    ...STANDALONE_PARTS,
  ],
  'lintel-bridge': [
    'package.json',
    'LICENSE',
    'dist/lintel-bridge.js',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/sbom.cdx.json',
  ],
};

/** Code by which cedar-wasm reads a file next to itself; in an executable it reads the asset instead. */
const READS_WASM = "require('fs').readFileSync(wasmPath)";

export interface Executable {
  readonly name: string;
  readonly file: string;
  /** The size in bytes; `node` is the share of Node itself. */
  readonly size: number;
  readonly node: number;
  /** The contained files, relative to the root of the repository. */
  readonly paths: readonly string[];
}

/**
 * Writes single executables into a folder, which is created if it is missing.
 *
 * @throws Error when `dist/` was not built, or its content does not match the sources
 */
export async function makeExecutables(
  destination: string,
  names: readonly string[] = Object.keys(ASSETS),
  logStep: LogStep = ignoreStep,
): Promise<readonly Executable[]> {
  await mkdir(destination, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'lintel-executables-'));
  try {
    const start = join(work, 'start.cjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'start.ts')],
      outfile: start,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node24',
    });
    const made: Executable[] = [];
    for (const name of names) {
      logStep(`putting ${name} into a copy of Node ${process.versions.node}`);
      made.push(await makeExecutable(name, ASSETS[name] ?? [], start, work, resolve(destination, name)));
    }
    return made;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function makeExecutable(
  name: string,
  patterns: readonly string[],
  start: string,
  work: string,
  file: string,
): Promise<Executable> {
  const paths: string[] = [];
  const assets: Record<string, string> = { program: join(work, `${name}.program`) };
  await writeFile(join(work, `${name}.program`), `dist/${name}.js`);
  for (const pattern of patterns) {
    const found = globSync(pattern, { cwd: ROOT });
    if (found.length === 0) throw new Error(`there is no ${pattern}: run \`npm run build\``);
    for (const path of found.sort()) {
      assets[path] = join(ROOT, path);
      paths.push(path);
    }
  }
  const cedar = 'dist/cedar-wasm/cedar_wasm.cjs';
  if (cedar in assets) {
    const text = await readFile(join(ROOT, cedar), 'utf8');
    if (!text.includes(READS_WASM)) throw new Error(`${cedar} reads its WebAssembly in another way than it did`);
    assets[cedar] = join(work, 'cedar_wasm.cjs');
    const inside = "new Uint8Array(require('node:sea').getRawAsset('dist/cedar-wasm/cedar_wasm_bg.wasm'))";
    await writeFile(assets[cedar], text.replace(READS_WASM, inside));
  }
  // Before Node 24.8 a program cannot list its assets, so the list is an asset itself.
  const files = join(work, `${name}.files`);
  await writeFile(files, JSON.stringify(Object.keys(assets)));
  assets.files = files;
  const config = join(work, `${name}.json`);
  const blob = join(work, `${name}.blob`);
  // No code cache: it would cover the start alone, and fit one processor only. The path of the entry file ends up in the blob, so it is
  // relative: the same in each build.
  const options = { main: basename(start), output: blob, assets, disableExperimentalSEAWarning: true };
  await writeFile(config, JSON.stringify(options));
  await promisify(execFile)(process.execPath, ['--experimental-sea-config', config], { cwd: work });
  // A new file replaces the old one by renaming, since a running program cannot be overwritten.
  const copy = `${file}.${process.pid}`;
  await copyFile(process.execPath, copy);
  await chmod(copy, 0o755);
  await injectBlob(copy, await readFile(blob));
  await rename(copy, file);
  const [{ size }, { size: node }] = await Promise.all([stat(file), stat(process.execPath)]);
  return { name, file, size, node, paths };
}

/** Warnings of postject about parts of Node that it leaves unchanged: notes whose names it cannot read, and symbols that it does not need. */
const HARMLESS = /^warning: (?:Can't find string offset for section name|Can't read symbol|Can't find symbol)/;

/** postject's warnings come from a library inside of it, which captures `console.warn` when it loads. */
async function injectBlob(file: string, blob: Buffer): Promise<void> {
  const { warn } = console;
  console.warn = (...words: unknown[]) => {
    if (!HARMLESS.test(String(words[0]))) warn(...words);
  };
  try {
    await inject(file, 'NODE_SEA_BLOB', blob, { sentinelFuse: SENTINEL_FUSE });
  } finally {
    console.warn = warn;
  }
}
