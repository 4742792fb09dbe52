/** What `package-lock.json` records: the packages, and the dependencies of each. */
import { readFileSync } from 'node:fs';

export interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/** Packages by folder, such as `node_modules/ajv`. */
export type Lockfile = Readonly<Record<string, LockedPackage | undefined>>;

export function readLockfile(): Lockfile {
  return JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
}

/** Folders of all transitive dependencies of a package, sorted; without the package itself and without programs for one system. */
export function broughtAlong(lock: Lockfile, folder: string): readonly string[] {
  const found = new Set<string>([folder]);
  for (const at of found) {
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock[at] as LockedPackage;
    const peers = Object.keys(peerDependencies ?? {}).filter(name => !peerDependenciesMeta?.[name]?.optional);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
      const needed = resolve(lock, at, name);
      if (needed !== undefined && !isOfOneSystem(lock[needed] as LockedPackage)) found.add(needed);
    }
  }
  found.delete(folder);
  return [...found].sort();
}

function isOfOneSystem({ os, cpu }: LockedPackage): boolean {
  return os !== undefined || cpu !== undefined;
}

/** Resolves a package as Node does: in the folder itself, then in each parent. */
function resolve(lock: Lockfile, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    const folder = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (lock[folder] !== undefined) return folder;
    if (at === '') return undefined;
  }
}
