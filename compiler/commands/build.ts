import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundleIndexEntry, compareText, INDEX_FILE } from '#schemas';
import type { Compilation } from '../compile/compilation.ts';
import type { Severity } from '../diagnostics/diagnostic.ts';
import { jsonText } from '../diagnostics/render/json-text.ts';
import { closingText } from '../diagnostics/render/summary.ts';
import { bundleFiles } from '../emit/bundle-files.ts';
import { cannotWrite } from '../emit/cannot-write.ts';
import type { ManifestSettings } from '../emit/manifests/settings.ts';
import { writeFiles } from '../emit/write-files.ts';
import { exposedName } from '../servers/exposed-name.ts';
import { compilePaths, exitCodeOf, type ProjectOptions, renderFindings } from './compile-paths.ts';
import { heldBackText } from './held-back.ts';
import { type Output, writeOutput } from './outputs.ts';
import { writeManifests } from './write-manifests.ts';

export interface BuildOptions extends ProjectOptions {
  readonly out: string;
  readonly revision: string | undefined;
  readonly outputs: readonly Output[];
  /** Every finding in formats for people too, and not the first of each code. */
  readonly all?: boolean;
  /** The project's when not given. */
  readonly failOn?: Severity | undefined;
  /** Where manifests go too, and what they depend on; undefined for none. */
  readonly manifests?: { readonly folder: string; readonly settings: ManifestSettings } | undefined;
}

/**
 * Compiles specs and writes a bundle for every gateway and registry server without errors. Standard output holds one
 * thing: a document, where a format for programs was asked for, or else a line for each bundle. The other goes to standard
 * error. Returns the exit code.
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
  const { failOn = compiled.project.failOn } = options;
  const { compilation } = compiled;
  const { findings, checked } = compilation;
  const printed = outputs.find(({ file }) => file === undefined);
  const text = ({ format, file }: Output) => {
    const stream = file === undefined && format !== 'pretty' ? process.stdout : process.stderr;
    return renderFindings(compiled, format, { failOn, all, ...(file === undefined ? { stream } : {}) });
  };
  // Before the bundles are written: when that fails, the findings are still worth knowing. Only JSON names the bundles.
  if (printed === undefined) process.stderr.write(closingText(findings, checked));
  else if (printed.format === 'pretty') process.stderr.write(text(printed));
  else if (printed.format !== 'json') process.stdout.write(text(printed));
  for (const output of outputs) {
    if (output.file !== undefined && output.format !== 'json') await writeOutput(output.file, text(output));
  }

  process.stderr.write(heldBackText(compilation));
  const bundles = checked.complete ? await writeBundles(out, compilation, { exposure: true }) : [];
  if (checked.complete && manifests !== undefined) {
    const files = await writeManifests(manifests.folder, compilation, {
      ...manifests.settings,
      denial: compiled.project.denial,
    });
    process.stderr.write(`manifests of ${count(files.length)} in ${manifests.folder}\n`);
  }
  for (const output of outputs.filter(({ format }) => format === 'json')) {
    const document = jsonText({ ...(JSON.parse(text(output)) as object), bundles });
    if (output.file === undefined) process.stdout.write(document);
    else await writeOutput(output.file, document);
  }
  if (printed?.format !== 'json') {
    const stream = printed === undefined || printed.format === 'pretty' ? process.stdout : process.stderr;
    for (const { namespace, name, digest, path } of bundles) {
      stream.write(`${namespace}/${name} ${digest} ${join(out, path)}\n`);
    }
  }
  return exitCodeOf(compilation, failOn);
}

function count(servers: number): string {
  return servers === 1 ? '1 server' : `${servers} servers`;
}

/**
 * Writes the bundles of a compilation and the index. While there are errors no entry leaves the index: whoever serves from
 * this folder goes on with the last good bundle of a gateway that is broken now. Which gateways those are cannot be told
 * when a file is no YAML or an object has no valid name, so every entry stays that was not built again.
 *
 * @param options `exposure`: also write who can reach what next to each bundle; nothing that serves reads it.
 *   `written`: bundle files that are known to be there; those that are written are added
 * @returns the entries of the bundles of this compilation
 * @throws UsageError when the folder cannot be written
 */
export async function writeBundles(
  out: string,
  { gateways, servers, registries, hasErrors }: Compilation,
  { exposure = false, written = new Set() }: { readonly exposure?: boolean; readonly written?: Set<string> } = {},
): Promise<readonly BundleIndexEntry[]> {
  const output = bundleFiles(
    [...gateways.map(gateway => ({ ...gateway, files: [] })), ...registries].flatMap(built => {
      const { bundle, files } = built;
      return bundle === null ? [] : [{ bundle, files, exposure: exposure ? built.exposure() : null }];
    }),
  );
  const built = new Set(output.index.bundles.map(nameOf));
  const before = !hasErrors ? [] : await entriesOf(join(out, INDEX_FILE));
  const kept = before.filter(entry => !built.has(nameOf(entry)));
  const index = {
    ...output.index,
    bundles: [...output.index.bundles, ...kept].sort(
      (a, b) => compareText(a.kind, b.kind) || compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
    ),
    // Nothing here serves them: manifests do. Without their names a comparison of two builds would pass over them.
    ...(servers.length === 0
      ? {}
      : { servers: servers.map(({ object }) => `${object.namespace}/${exposedName(object)}`) }),
  };
  const files = output.files
    .filter(({ path }) => !written.has(path))
    .map(file => (file.path === INDEX_FILE ? { ...file, text: `${JSON.stringify(index, null, 2)}\n` } : file));
  try {
    await writeFiles(out, files);
    for (const { path } of files) if (path !== INDEX_FILE) written.add(path);
  } catch (error) {
    throw cannotWrite(out, error);
  }
  return output.index.bundles;
}

function nameOf({ kind, namespace, name }: BundleIndexEntry): string {
  return `${kind}/${namespace}/${name}`;
}

async function entriesOf(indexFile: string): Promise<readonly BundleIndexEntry[]> {
  try {
    const { bundles } = JSON.parse(await readFile(indexFile, 'utf8')) as { bundles?: unknown };
    return Array.isArray(bundles) ? bundles : [];
  } catch {
    // No index yet, or none of ours: nothing to keep.
    return [];
  }
}
