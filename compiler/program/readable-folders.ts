import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';

/**
 * What a program may read: its project, the packages above it, and the folders of the packages that it is made of, which links may
 * have led elsewhere.
 *
 * @param folder of the project; absolute
 */
export function readableFolders(folder: string, { inputs }: Metafile): readonly string[] {
  const folders = new Set([folder]);
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const packages = join(dirname(at), 'node_modules');
    if (existsSync(packages)) folders.add(packages);
  }
  for (const path of Object.keys(inputs)) {
    const absolute = resolve(folder, path);
    const [, packages] = /^(.*[\\/]node_modules)[\\/]/.exec(absolute) ?? [];
    if (packages !== undefined) folders.add(packages);
    else if (path.startsWith('..')) folders.add(dirname(absolute));
  }
  return [...folders].sort();
}
