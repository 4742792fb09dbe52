import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { compareText } from '#schemas';

/** One of several copies of a package. */
export interface Copy {
  /** An absolute path. */
  readonly folder: string;
  readonly version: string;
  /** A file that imports this copy; an absolute path. */
  readonly importer: string;
}

/** Packages that must exist once: constructs recognize each other by class and by symbol, and only one copy is hooked. */
const SINGLE = ['cdk8s', 'constructs', 'lintel'];

/**
 * Packages that the bundle contains more than once.
 * @param root absolute; paths of the metafile are relative to it
 */
export function findDuplicatePackages({ inputs }: Metafile, root: string): ReadonlyMap<string, readonly Copy[]> {
  const several = new Map<string, readonly Copy[]>();
  for (const name of SINGLE) {
    const copies = new Map<string, string>();
    for (const [importer, { imports }] of Object.entries(inputs)) {
      for (const { path } of imports) {
        const folder = findFolder(path, name);
        if (folder === undefined || findFolder(importer, name) === folder || importer.startsWith('lintel:')) continue;
        // The importer that sorts first, so that the choice is always the same.
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
        return { folder: absolute, version: readVersion(absolute), importer: resolve(root, importer) };
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

function readVersion(folder: string): string {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
    return String(version);
  } catch {
    return 'unknown version';
  }
}
