import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import { listPartsWithin } from './outside-check.ts';

/**
 * What a program may read: its project, the packages above it, the real folders of its packages, which may be links, and other imported files,
 * but not their siblings.
 *
 * @param folder of the project; absolute
 */
export function listReadablePaths(
  folder: string,
  { inputs }: Metafile,
  isOutside: (file: string) => boolean,
): readonly string[] {
  const folders = new Set(listPartsWithin(folder, isOutside));
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    const packages = join(dirname(at), 'node_modules');
    if (existsSync(packages)) folders.add(packages);
  }
  for (const { imports } of Object.values(inputs)) {
    for (const { path, original } of imports) {
      const linked = original === undefined ? undefined : findPackageFolder(resolve(folder, path), original);
      if (linked !== undefined) folders.add(linked);
    }
  }
  const files = new Set<string>();
  for (const path of Object.keys(inputs)) {
    const absolute = resolve(folder, path);
    const [, packages] = /^(.*[\\/]node_modules)[\\/]/.exec(absolute) ?? [];
    if (packages !== undefined) folders.add(packages);
    else if (path.startsWith('..') && ![...folders].some(value => absolute.startsWith(value + sep)))
      files.add(absolute);
  }
  return [...folders, ...files].sort();
}

/** The folder of a package that was imported by name; undefined when the file is in no package of that name. */
function findPackageFolder(file: string, specifier: string): string | undefined {
  const [name] = /^(?:@[^/]+\/)?[^./@][^/]*/.exec(specifier) ?? [];
  if (name === undefined || /[\\/]node_modules[\\/]/.test(file)) return undefined;
  for (let at = dirname(file); dirname(at) !== at; at = dirname(at)) {
    const manifest = join(at, 'package.json');
    if (existsSync(manifest)) return readName(manifest) === name ? at : undefined;
  }
  return undefined;
}

function readName(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name;
  } catch {
    // A file that esbuild treats as part of a package; the package's name is unknown.
    return undefined;
  }
}
