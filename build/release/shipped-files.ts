/** The files of `dist/` with the packages inside them, from the bill of materials of the build and from `node_modules`. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Package, ShippedFile } from '../contents.ts';

interface Sbom {
  readonly components: readonly {
    readonly type: string;
    readonly 'bom-ref': string;
    readonly group?: string;
    readonly name: string;
    readonly version?: string;
    readonly hashes: readonly { readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

type Lock = Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;

/** @throws Error when `dist/` was not built, or was built from other packages than those installed */
export async function readShippedFiles(root: string): Promise<readonly ShippedFile[]> {
  const [sbom, lock]: [Sbom, Lock] = await Promise.all([
    JSON.parse(await readFile(join(root, 'dist/sbom.cdx.json'), 'utf8')),
    readLock(root),
  ]);
  const byRef = new Map(sbom.components.map(component => [component['bom-ref'], component]));
  const packages = new Map<string, Promise<Package>>();
  const findPackage = (ref: string): Promise<Package> => {
    const { group, name = '', version } = byRef.get(ref) ?? {};
    const full = group === undefined ? name : `${group}/${name}`;
    // A package that is bundled inside another one has no digest of its own.
    const isIt = ({ version: locked, integrity }: Lock[string]) => locked === version && integrity !== undefined;
    // The lock also has packages of workspaces that only some tests need and that are not installed, in the same version.
    const isInstalled = (path: string) => existsSync(join(root, path, 'package.json'));
    const folder = Object.keys(lock).find(
      path => path.endsWith(`node_modules/${full}`) && isIt(lock[path] ?? {}) && isInstalled(path),
    );
    if (folder === undefined)
      throw new Error(`${full} ${version} is in dist/ and not in package-lock.json: run npm run build`);
    return readPackage(root, folder, lock);
  };
  const files = sbom.components.filter(({ type }) => type === 'file');
  return Promise.all(
    files.map(async ({ name, hashes, 'bom-ref': own }) => {
      const refs = sbom.dependencies.find(({ ref }) => ref === own)?.dependsOn ?? [];
      const inside = refs.map(ref => {
        const read = packages.get(ref) ?? findPackage(ref);
        packages.set(ref, read);
        return read;
      });
      return { name, sha256: hashes[0]?.content ?? '', packages: await Promise.all(inside) };
    }),
  );
}

/** @param folders relative to the root, such as `node_modules/minisearch` */
export async function readPackages(root: string, folders: readonly string[]): Promise<readonly Package[]> {
  const lock = await readLock(root);
  return Promise.all(folders.map(folder => readPackage(root, folder, lock)));
}

async function readPackage(root: string, folder: string, lock: Lock): Promise<Package> {
  const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
  const integrity = lock[folder]?.integrity;
  if (integrity === undefined) throw new Error(`package-lock.json has no digest of ${folder}`);
  return { folder, manifest, integrity };
}

async function readLock(root: string): Promise<Lock> {
  return JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')).packages;
}
