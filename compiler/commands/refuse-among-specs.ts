/** Keeps bundles and manifests out of the folders that hold the specs. */
import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { INDEX_FILE } from '#schemas';
import { isSource } from '../project/index.ts';
import { BUNDLE_FOLDER, KUSTOMIZATION_FILE } from '../source/written-output.ts';
import { UsageError } from '../usage-error.ts';
import type { CompiledPaths } from './compile-paths.ts';

interface OutputFolder {
  /** Such as `--out`. */
  readonly option: string;
  readonly folder: string;
  readonly kind: 'bundles' | 'manifests';
}

/**
 * If a build wrote its output among the specs, the next run would read the output as specs. A separate folder below the specs is permitted, because
 * the compiler skips what an earlier build wrote into such a folder.
 *
 * @throws UsageError for an output folder that holds specs, if this command would read the output there
 */
export function refuseAmongSpecs(
  paths: readonly string[],
  { compilation, project }: Pick<CompiledPaths, 'compilation' | 'project'>,
  folders: readonly OutputFolder[],
): void {
  const cwd = process.cwd();
  const objects = compilation.objects.filter(({ group, doc }) => group !== '' && doc.program === undefined);
  const specs = [...new Set(objects.map(({ doc }) => doc.file))];
  const namespaces = new Set(compilation.objects.map(({ namespace }) => namespace));
  const realPaths = paths.map(path => toReal(resolve(cwd, path)));
  for (const { option, folder, kind } of folders) {
    const real = toReal(resolve(cwd, folder));
    const inside = specs.find(file =>
      toReal(resolve(cwd, file)).startsWith(real.endsWith(sep) ? real : `${real}${sep}`),
    );
    const written =
      kind === 'bundles'
        ? [INDEX_FILE, join(BUNDLE_FOLDER, INDEX_FILE)]
        : [KUSTOMIZATION_FILE, ...[...namespaces].map(namespace => join(namespace, KUSTOMIZATION_FILE))];
    if (inside === undefined || !written.some(path => isSource(join(real, path), realPaths, project, cwd))) continue;
    throw new UsageError(
      `${option} ${folder} holds specs, such as ${inside}, and the next run would read the ${kind} as sources: give the ${kind} a folder of their own, such as ${option} ${kind === 'bundles' ? 'dist' : 'manifests'}`,
    );
  }
}

/** The path without links. If it does not exist yet, the links of the nearest existing folder above it are resolved. */
function toReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toReal(parent), basename(path));
  }
}
