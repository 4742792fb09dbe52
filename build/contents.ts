/** The packages in each shipped file. The bill of materials and the licence notices are made from this. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import type { Metafile } from 'esbuild';

/** An installed package. */
export interface Package {
  readonly folder: string;
  readonly manifest: {
    readonly name: string;
    readonly version: string;
    readonly license: string;
    readonly [member: string]: unknown;
  };
  /** Digest of the package's tarball, as the lockfile pins it: `sha512-…`. */
  readonly integrity: string;
}

/** A file of `dist/`. */
export interface ShippedFile {
  /** The path of the file relative to `dist/`, such as `lintel.js`. */
  readonly name: string;
  /** The digest of the file in hexadecimal digits. */
  readonly sha256: string;
  /** The packages of which the file contains at least one byte, or which it loads from its own folder. Sorted by folder. */
  readonly packages: readonly Package[];
}

/** A file that is copied unchanged from a package. */
export interface CopiedFile {
  /** The path of the copy relative to `dist/`. */
  readonly name: string;
  readonly folder: string;
}

/**
 * The outputs of esbuild and the copied files, sorted by name.
 *
 * @param out the folder of the outputs
 * @param copied files next to the outputs; an output that imports one contains its package
 */
export async function listShippedFiles(
  metafiles: readonly Metafile[],
  out: string,
  copied: readonly CopiedFile[],
): Promise<readonly ShippedFile[]> {
  const lock = JSON.parse(await readFile('package-lock.json', 'utf8')).packages;
  const folders = new Map(copied.map(({ name, folder }) => [name, new Set([folder])]));
  for (const [path, { inputs, imports }] of metafiles.flatMap(({ outputs }) => Object.entries(outputs))) {
    const inside = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
    const bundled = inside.flatMap(([input]) => /.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input) ?? []);
    const siblings = copied.filter(({ name }) => imports.some(({ path }) => path === `./${name}`));
    folders.set(relative(out, path), new Set([...bundled, ...siblings.map(({ folder }) => folder)]));
  }
  const packageIn = async (folder: string): Promise<Package> => ({
    folder,
    manifest: JSON.parse(await readFile(`${folder}/package.json`, 'utf8')),
    integrity: lock[folder].integrity,
  });
  const names = [...folders.keys()].sort();
  return Promise.all(
    names.map(async name => ({
      name,
      sha256: createHash('sha256')
        .update(await readFile(`${out}/${name}`))
        .digest('hex'),
      packages: await Promise.all([...(folders.get(name) ?? [])].sort().map(packageIn)),
    })),
  );
}

/** The packages of all files, each once, sorted by folder. */
export function listPackages(files: readonly ShippedFile[]): readonly Package[] {
  const all = new Map(files.flatMap(({ packages }) => packages.map(entry => [entry.folder, entry] as const)));
  return [...all.keys()].sort().map(folder => all.get(folder) as Package);
}
