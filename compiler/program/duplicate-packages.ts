import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { compareText } from '#schemas';

/** One of several copies of a package in a program. */
export interface Copy {
  /** Absolute. */
  readonly folder: string;
  readonly version: string;
  /** A file that imports it; absolute. */
  readonly importer: string;
}

/** Packages of which there is to be one copy: constructs recognize each other by class and by symbol, and one copy alone has the hooks. */
const SINGLE = ['cdk8s', 'constructs', 'lintel'];

/** The packages that are in the bundle more than once. @param root absolute, what paths of the metafile are relative to */
export function findDuplicatePackages({ inputs }: Metafile, root: string): ReadonlyMap<string, readonly Copy[]> {
  const several = new Map<string, readonly Copy[]>();
  for (const name of SINGLE) {
    const copies = new Map<string, string>();
    for (const [importer, { imports }] of Object.entries(inputs)) {
      for (const { path } of imports) {
        const folder = findFolder(path, name);
        if (folder === undefined || findFolder(importer, name) === folder || importer.startsWith('lintel:')) continue;
        // The first in the order of names, so that it is the same one each time.
        const before = copies.get(folder);
        if (before === undefined || compareText(importer, before) < 0) copies.set(folder, importer);
      }
    }
    if (copies.size < 2) continue;
    const sorted = [...copies].sort(([a], [b]) => compareText(a, b));
    several.set(
      name,
      sorted.map(([folder, importer]) => {
        const absolute = resolve(root, folder);
        return { folder: absolute, version: versionIn(absolute), importer: resolve(root, importer) };
      }),
    );
  }
  return several;
}

function findFolder(path: string, name: string): string | undefined {
  const marker = `node_modules/${name}/`;
  const at = `/${path}`.lastIndexOf(`/${marker}`);
  if (at < 0 || `/${path.slice(at + marker.length)}`.includes('/node_modules/')) return undefined;
  return path.slice(0, at + marker.length - 1);
}

function versionIn(folder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
    return String(version);
  } catch {
    return 'unknown version';
  }
}
