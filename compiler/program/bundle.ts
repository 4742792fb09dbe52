/** Bundles one file of a program with all of its imports. */
import { readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Metafile, Plugin } from 'esbuild';
import { compareText, TYPES_FILE } from '#schemas';
import { TYPES_HEADER } from '../analysis/catalog/index.ts';
import { createOutsideCheck, LEADS_OUT } from './outside-check.ts';
import { findNearestConfig, findTypeScriptConfig } from './typescript-config.ts';

export interface BundledModule {
  readonly code: string;
  /** The source map (ECMA-426); `sources` are absolute paths. */
  readonly sourceMap: { readonly sources: readonly string[] };
  readonly url: string;
  readonly metafile: Metafile;
  /** Files of the program outside of `node_modules`, absolute and sorted. */
  readonly inputs: readonly string[];
  /** Resolved imports: by file and specifier, the imported file; all absolute. */
  readonly imports: { readonly [file: string]: { readonly [specifier: string]: string } };
}

/** An error of esbuild; positions are 1-based lines and 0-based byte columns, as esbuild reports them. */
export interface BundleDiagnostic {
  readonly text: string;
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  readonly length: number;
  /** The unresolved import, if that is the error. */
  readonly missing: string | undefined;
}

/** Virtual modules without a file. */
const ENTRY = 'lintel:entry';
const HOOK = 'lintel:hook';
const UNLOCKED = 'lintel:unlocked';

/** How programs import the tool types, with any file extension. */
const TYPES_MODULE = /(?:^|\/)lintel\.lock(?:\.[cm]?[jt]s)?$/;

/** Options of commands for a bundle. */
export interface BundleOptions {
  /** Tool types are replaced by untyped ones, because `lintel lock` runs the program before it queries backends. */
  readonly isUnlocked: boolean;
}

/** Maps esbuild's names of the bundled files to their paths. */
type BundledFiles = Map<string, string>;

/**
 * Bundles a program with its packages, so that the location of packages does not matter, and exactly the checked code runs.
 *
 * @param esbuildFile the module of esbuild
 * @param entry absolute
 * @param folder of the project; paths in the bundle are relative to it, so that the same program gives the same bytes in any folder
 */
export async function bundleProgram(
  esbuildFile: string,
  entry: string,
  folder: string,
  { isUnlocked }: BundleOptions,
): Promise<BundledModule | { readonly mistakes: readonly BundleDiagnostic[] }> {
  const { build } = createRequire(import.meta.url)(esbuildFile) as typeof import('esbuild');
  const root = await realpath(folder);
  const outdir = join(root, 'lintel-bundle');
  const files: BundledFiles = new Map();
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [{ in: ENTRY, out: 'program' }],
      absWorkingDir: root,
      ...findReferredConfig(entry),
      outdir,
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: `node${process.versions.node}`,
      sourcemap: 'external',
      sourcesContent: false,
      metafile: true,
      // Node does the same: a module runs for its side effects, even if its package declares that it has none.
      ignoreAnnotations: true,
      legalComments: 'none',
      // Programs read class names, which end up in objects.
      keepNames: true,
      logLevel: 'silent',
      define: {
        'import.meta.url': '__lintelFile.url',
        'import.meta.dirname': '__lintelFile.dirname',
        'import.meta.filename': '__lintelFile.filename',
        __dirname: '__lintelFile.dirname',
        __filename: '__lintelFile.filename',
      },
      // CommonJS packages call `require`, which an ES module lacks.
      banner: {
        js: "import{createRequire as lintelRequire}from'node:module';const require=lintelRequire(import.meta.url);",
      },
      plugins: [
        createOwnModulesPlugin(entry),
        ...(isUnlocked ? [createUnlockedTypesPlugin()] : []),
        createOwnPlacesPlugin(root, files, createOutsideCheck(entry)),
      ],
    });
    const [map, code] = ['.map', '.js'].map(end => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '');
    const parsed = JSON.parse(map ?? '') as { sources: string[] };
    return {
      code: code ?? '',
      sourceMap: { ...parsed, sources: parsed.sources.map(source => resolveSourceFile(source, outdir, files)) },
      url: pathToFileURL(join(await realpath(dirname(entry)), `${basename(entry)}.lintel.mjs`)).href,
      metafile,
      inputs: [...collectOwnInputs(metafile, root, files).keys()].sort(compareText),
      imports: listImports(metafile, root, files),
    };
  } catch (error) {
    const { errors } = error as { errors?: readonly EsbuildError[] };
    if (errors === undefined) throw error;
    return { mistakes: errors.map(found => toDiagnostic(found, root, files)) };
  }
}

/** Hooks the program's own copies of cdk8s and constructs before any other code runs. */
function createOwnModulesPlugin(entry: string): Plugin {
  const texts: Readonly<Record<string, string>> = {
    [ENTRY]: `import '${HOOK}';
export * as program from ${JSON.stringify(`./${basename(entry)}`)};`,
    [HOOK]: `import * as cdk8s from 'cdk8s';
import * as constructs from 'constructs';
globalThis[Symbol.for('lintel.dev/program')].hook(cdk8s, constructs);`,
    [UNLOCKED]: `export { unlockedCatalog as catalog } from 'lintel/cdk8s';`,
  };
  return {
    name: 'own-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^lintel:(?:entry|hook|unlocked)$/ }, ({ path }) => ({ path, namespace: 'lintel' }));
      onLoad({ filter: /.*/, namespace: 'lintel' }, ({ path }) => ({
        contents: texts[path] ?? '',
        resolveDir: dirname(entry),
      }));
    },
  };
}

/** Tool types that Lintel generated or will generate. A handwritten file is not replaced. */
function createUnlockedTypesPlugin(): Plugin {
  return {
    name: 'unlocked-types',
    setup({ onResolve }) {
      onResolve({ filter: TYPES_MODULE }, async ({ path, resolveDir }) => {
        const file = join(resolveDir, dirname(path), TYPES_FILE);
        const text = await readFile(file, 'utf8').catch(() => '');
        return text === '' || text.startsWith(TYPES_HEADER) ? { path: UNLOCKED, namespace: 'lintel' } : undefined;
      });
    },
  };
}

/**
 * The configuration that esbuild does not find itself. It finds the nearest one of each file, without checking the configurations that it extends.
 */
function findReferredConfig(entry: string): { readonly tsconfig?: string } {
  const config = findTypeScriptConfig(entry);
  return config === undefined || config === findNearestConfig(dirname(entry)) ? {} : { tsconfig: config };
}

/** Whether a specifier imports the tool types. */
export function isTypesModule(specifier: string): boolean {
  return TYPES_MODULE.test(specifier);
}

/** Gives `import.meta` of a module the module's own path, not the bundle's. */
function createOwnPlacesPlugin(root: string, files: BundledFiles, isOutside: (file: string) => boolean): Plugin {
  return {
    name: 'own-places',
    setup({ onLoad }) {
      onLoad({ filter: /.*/, namespace: 'file' }, async ({ path }) => {
        if (isOutside(path)) return { errors: [{ text: LEADS_OUT }] };
        files.set(toForwardSlashes(path), path);
        if (!/\.(?:[cm]?[jt]s|[jt]sx)$/.test(path)) return undefined;
        const text = await readFile(path, 'utf8');
        if (!/\bimport\.meta\b|\b__(?:dirname|filename)\b/.test(text)) return undefined;
        const own = JSON.stringify(relative(root, path).replaceAll(sep, '/'));
        const prefix = `const __lintelFile=globalThis[Symbol.for('lintel.dev/program')].file(${own});`;
        // The prefix is put on the first line, so that no other line changes its number.
        const contents = text.startsWith('#!') ? text.replace(/^#!.*/, prefix) : prefix + text;
        return { contents, loader: chooseLoader(path) };
      });
    },
  };
}

function chooseLoader(path: string): 'ts' | 'js' | 'tsx' | 'jsx' {
  if (/\.[jt]sx$/i.test(path)) return path.toLowerCase().endsWith('tsx') ? 'tsx' : 'jsx';
  return /ts$/i.test(path) ? 'ts' : 'js';
}

/** esbuild always writes paths with `/`. */
function toForwardSlashes(path: string): string {
  return path.replaceAll('\\', '/');
}

/**
 * The absolute path of a bundled file. Undefined for names without a file, such as the entry.
 *
 * @param path in the metafile
 */
function findFile(path: string, root: string, files: BundledFiles): string | undefined {
  return files.get(toForwardSlashes(resolve(root, path)));
}

/** The path of a source in the source map. Sources are URLs (ECMA-426), but some versions of esbuild write plain paths. */
function resolveSourceFile(source: string, outdir: string, files: BundledFiles): string {
  const asIs = resolve(outdir, source);
  return findFile(asIs, outdir, files) ?? findFile(decodeURIComponent(source), outdir, files) ?? asIs;
}

/** The metafile path of each file. */
function collectOwnInputs({ inputs }: Metafile, root: string, files: BundledFiles): ReadonlyMap<string, string> {
  const own = Object.keys(inputs).flatMap(path => {
    const file = findFile(path, root, files);
    return file === undefined || `/${path}`.includes('/node_modules/') ? [] : [[file, path] as const];
  });
  return new Map(own);
}

function listImports(metafile: Metafile, root: string, files: BundledFiles): BundledModule['imports'] {
  const imports = [...collectOwnInputs(metafile, root, files)].map(([file, path]) => {
    const found = metafile.inputs[path]?.imports ?? [];
    const entries = found.flatMap(({ original, path: to, external }) =>
      original === undefined || external === true ? [] : [[original, findFile(to, root, files) ?? resolve(root, to)]],
    );
    return [file, Object.fromEntries(entries)];
  });
  return Object.fromEntries(imports);
}

interface EsbuildError {
  readonly text: string;
  readonly location: { file: string; namespace: string; line: number; column: number; length: number } | null;
}

function toDiagnostic({ text, location }: EsbuildError, root: string, files: BundledFiles): BundleDiagnostic {
  const [, missing] = /^Could not resolve "(.+)"$/.exec(text) ?? [];
  return {
    text,
    file: location === null ? undefined : findFile(location.file, root, files),
    line: location?.line ?? 1,
    column: location?.column ?? 0,
    length: location?.length ?? 0,
    missing,
  };
}
