import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundleIndex, INDEX_FILE, OBJECT_KIND } from '#schemas';
import type { Compilation } from '../compile/compilation.ts';
import { formatJson } from '../diagnostics/render/json-text.ts';
import { formatClosing } from '../diagnostics/render/summary.ts';
import type { Severity } from '../diagnostics/severity.ts';
import { buildBundleIndex, type IndexEntry, listBundleFiles, listEntries } from '../emit/bundle-files.ts';
import type { ManifestSettings } from '../emit/manifests/index.ts';
import { createWriteError } from '../emit/write-error.ts';
import { writeFiles } from '../emit/write-files.ts';
import { getExposedName } from '../servers/exposed-name.ts';
import { BUNDLE_FOLDER, isBundleIndex, KUSTOMIZATION_FILE } from '../source/written-output.ts';
import { isJson } from '../text/is-json.ts';
import { UsageError } from '../usage-error.ts';
import { chooseExitCode, compilePaths, type ProjectOptions, renderFindings } from './compile-paths.ts';
import { formatBlockedServers } from './format-blocked-servers.ts';
import { type Output, writeOutput } from './outputs.ts';
import { refuseAmongSpecs } from './refuse-among-specs.ts';
import { writeManifests } from './write-manifests.ts';

export interface BuildOptions extends ProjectOptions {
  readonly out: string;
  readonly revision: string | undefined;
  readonly outputs: readonly Output[];
  /** Shows every finding in text formats, not only the first of each code. */
  readonly all?: boolean;
  /** The severity from which findings fail the build. Default: the project's setting. */
  readonly failOn?: Severity | undefined;
  /** Where to write manifests, and their settings; undefined for none. */
  readonly manifests?: { readonly folder: string; readonly settings: ManifestSettings } | undefined;
}

/**
 * Compiles specs and writes a bundle for every gateway, MCPServer, MCPRemoteProxy and registry server without errors. Standard output has either a
 * document, if a machine-readable format was requested, or one line for each bundle. Everything else goes to standard error. Returns the exit code.
 */
export async function build(paths: readonly string[], options: BuildOptions): Promise<number> {
  const { out, revision, outputs, manifests, all = false } = options;
  const target = manifests === undefined ? undefined : 'pods';
  const compiled = await compilePaths(paths, {
    ...options,
    purpose: 'build',
    sourceRevision: revision ?? null,
    target,
  });
  refuseAmongSpecs(paths, compiled, [
    { option: '--out', folder: out, kind: 'bundles' },
    ...(manifests === undefined
      ? []
      : [{ option: '--manifests', folder: manifests.folder, kind: 'manifests' } as const]),
  ]);
  await refuseForeignIndex(out);
  const { failOn = compiled.project.failOn } = options;
  const { compilation } = compiled;
  const { findings, checked } = compilation;
  const printed = outputs.find(({ file }) => file === undefined);
  const text = ({ format, file }: Output) => {
    const stream = file === undefined && format !== 'pretty' ? process.stdout : process.stderr;
    return renderFindings(compiled, format, { failOn, all, ...(file === undefined ? { stream } : {}) });
  };
  // The findings are printed before the bundles are written, so that they are seen even if writing fails. The JSON document comes after the bundles,
  // because it also lists them.
  if (printed === undefined) process.stderr.write(formatClosing(findings, checked, all));
  else if (printed.format === 'pretty') process.stderr.write(text(printed));
  else if (printed.format !== 'json') process.stdout.write(text(printed));
  for (const output of outputs) {
    if (output.file !== undefined && output.format !== 'json') await writeOutput(output.file, text(output));
  }

  process.stderr.write(formatBlockedServers(compilation));
  const bundles = checked.complete ? await writeBundles(out, compilation, { forReview: true }) : [];
  if (checked.complete && manifests !== undefined) {
    const files = await writeManifests(manifests.folder, compilation, {
      ...manifests.settings,
      denial: compiled.project.denial,
    });
    const { folder } = manifests;
    process.stderr.write(`${count(files.length)} in ${folder}, listed in ${join(folder, KUSTOMIZATION_FILE)}\n`);
  }
  for (const output of outputs.filter(({ format }) => format === 'json')) {
    const document = formatJson({ ...(JSON.parse(text(output)) as object), bundles });
    if (output.file === undefined) process.stdout.write(document);
    else await writeOutput(output.file, document);
  }
  if (printed?.format !== 'json') {
    const stream = printed === undefined || printed.format === 'pretty' ? process.stdout : process.stderr;
    for (const entry of bundles) {
      const { namespace, digest, path } = entry;
      stream.write(`${namespace}/${formatName(entry)} ${digest} ${join(out, path)}\n`);
    }
  }
  return chooseExitCode(compilation, failOn);
}

function count(files: number): string {
  return files === 1 ? '1 manifest file' : `${files} manifest files`;
}

/** What to write, and in which form. */
export interface WriteOptions {
  /**
   * Also writes what only a comparison of builds or the manifests need, and the runtime does not: the exposure next to each bundle, and the bundles
   * of MCPServers and MCPRemoteProxies.
   */
  readonly forReview?: boolean;
  /** Paths of bundle files that exist already and are not written again. `writeBundles` adds the paths of the files that it writes. */
  readonly written?: Set<string>;
}

/**
 * Writes the bundles of a compilation and the index. While there are errors, no entry is removed from the index. A runtime that serves this folder
 * then continues with the last good bundle of a gateway that has errors now. If a file is not YAML or an object has no valid name, it is unknown
 * which gateways have errors, so every entry that was not rebuilt stays.
 *
 * @returns the entries of the bundles of this compilation
 * @throws UsageError when the folder cannot be written
 */
export async function writeBundles(
  out: string,
  { gateways, servers, registries, hasErrors }: Compilation,
  { forReview = false, written: writtenFiles = new Set() }: WriteOptions = {},
): Promise<readonly IndexEntry[]> {
  const withoutFiles = [...gateways, ...(forReview ? servers : [])].map(gateway => ({ ...gateway, files: [] }));
  const output = listBundleFiles(
    [...withoutFiles, ...registries].flatMap(built => {
      const { bundle, files } = built;
      return bundle === null ? [] : [{ bundle, files, exposure: forReview ? built.exposure() : null }];
    }),
  );
  const entries = listEntries(output.index);
  const built = new Set(entries.map(formatId));
  const before = !hasErrors ? [] : await readPreviousEntries(join(out, INDEX_FILE));
  const index = buildBundleIndex([...entries, ...before.filter(entry => !built.has(formatId(entry)))]);
  const files = output.files
    .filter(({ path }) => !writtenFiles.has(path))
    .map(file => (file.path === INDEX_FILE ? { ...file, text: `${JSON.stringify(index, null, 2)}\n` } : file));
  try {
    await writeFiles(out, files);
    for (const { path } of files) if (path !== INDEX_FILE) writtenFiles.add(path);
  } catch (error) {
    throw createWriteError(out, error);
  }
  return entries;
}

/**
 * A damaged index next to bundles is replaced, so that a build repairs it.
 *
 * @throws UsageError for an index.json of another origin, which the index of the bundles would replace
 */
async function refuseForeignIndex(out: string): Promise<void> {
  const file = join(out, INDEX_FILE);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined || isBundleIndex(text)) return;
  if (!isJson(text) && existsSync(join(out, BUNDLE_FOLDER))) return;
  throw new UsageError(
    `cannot write to ${out}: ${file} was not written by \`lintel build\`; move it away, or give another folder`,
  );
}

function formatId({ kind, namespace, name }: IndexEntry): string {
  return `${kind}/${namespace}/${name}`;
}

/** The name for messages. The name of an MCPServer or MCPRemoteProxy includes its kind, because a gateway may have the same name. */
function formatName({ kind, name }: IndexEntry): string {
  return kind === 'gateway' || kind === 'registry' ? name : getExposedName({ kind: OBJECT_KIND[kind], name });
}

async function readPreviousEntries(indexFile: string): Promise<readonly IndexEntry[]> {
  try {
    const { bundles, servers } = JSON.parse(await readFile(indexFile, 'utf8')) as Partial<BundleIndex>;
    return [bundles, servers].flatMap(entries => (Array.isArray(entries) ? (entries as readonly IndexEntry[]) : []));
  } catch {
    // There is no index, or none that Lintel wrote, so no entry has to stay.
    return [];
  }
}
