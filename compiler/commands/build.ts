import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundleIndexEntry, compareText, INDEX_FILE } from '#schemas';
import type { Compilation } from '../compile.ts';
import type { Severity } from '../diagnostics/diagnostic.ts';
import { bundleFiles } from '../emit/bundle-files.ts';
import { writeFiles } from '../emit/write-files.ts';
import { UsageError } from '../usage-error.ts';
import { compilePaths, exitCodeOf, type Format, renderFindings } from './compile-paths.ts';

export interface BuildOptions {
  readonly out: string;
  readonly revision: string | undefined;
  readonly format: Format;
  readonly failOn: Severity;
}

/** Compiles specs and writes a bundle for every gateway without errors. Returns the exit code. */
export async function build(paths: readonly string[], options: BuildOptions): Promise<number> {
  const compiled = compilePaths(paths, 'build', options.revision ?? null);
  const { compilation } = compiled;
  const exitCode = exitCodeOf(compilation, options.failOn);
  const write = () => (compilation.checked.complete ? writeBundles(options.out, compilation) : []);
  if (options.format === 'json') {
    const bundles = await write();
    const document = JSON.parse(renderFindings(compiled, 'json', process.stdout)) as object;
    process.stdout.write(`${JSON.stringify({ ...document, bundles }, null, 2)}\n`);
    return exitCode;
  }
  // Before writing: when that fails, the findings are still worth knowing.
  process.stderr.write(renderFindings(compiled, 'pretty', process.stderr));
  const written = await write();
  for (const { namespace, name, digest, path } of written) {
    process.stdout.write(`${namespace}/${name} ${digest} ${join(options.out, path)}\n`);
  }
  return exitCode;
}

/**
 * Writes the bundles of a compilation and the index. While there are errors no entry leaves the index: whoever serves from
 * this folder goes on with the last good bundle of a gateway that is broken now. Which gateways those are cannot be told
 * when a file is no YAML or an object has no valid name, so every entry stays that was not built anew.
 *
 * @returns the entries of the bundles of this compilation
 * @throws UsageError when the folder cannot be written
 */
export async function writeBundles(
  out: string,
  { gateways, findings }: Compilation,
): Promise<readonly BundleIndexEntry[]> {
  const output = bundleFiles(gateways.flatMap(({ bundle }) => bundle ?? []));
  const built = new Set(output.index.bundles.map(nameOf));
  const before = findings.counts.error === 0 ? [] : await entriesOf(join(out, INDEX_FILE));
  const kept = before.filter(entry => !built.has(nameOf(entry)));
  const index = {
    ...output.index,
    bundles: [...output.index.bundles, ...kept].sort(
      (a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name),
    ),
  };
  const files = output.files.map(file =>
    file.path === INDEX_FILE ? { ...file, text: `${JSON.stringify(index, null, 2)}\n` } : file,
  );
  try {
    await writeFiles(out, files);
  } catch (error) {
    throw new UsageError(`cannot write to ${out}: ${(error as Error).message}`);
  }
  return output.index.bundles;
}

function nameOf({ namespace, name }: BundleIndexEntry): string {
  return `${namespace}/${name}`;
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
