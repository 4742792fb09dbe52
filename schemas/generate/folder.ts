/** Compares a folder of generated files with its expected content, and repairs it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How a folder differs from what the generator would write: paths below the folder, each list sorted. */
export interface FolderDifference {
  /** Files that exist, but with other content. */
  readonly stale: readonly string[];
  readonly missing: readonly string[];
  /** Files in a folder of generated files that the generator no longer writes. */
  readonly orphaned: readonly string[];
}

/** How `folder` differs from its expected content. Only `owned` subfolders are searched for orphans, without their own subfolders. */
export function compareFolder(
  folder: string,
  files: ReadonlyMap<string, string>,
  owned: readonly string[],
): FolderDifference {
  const paths = [...files.keys()].sort();
  const present = owned.flatMap(sub => {
    const path = join(folder, sub);
    return existsSync(path) ? readdirSync(path).map(name => `${sub}/${name}`) : [];
  });
  return {
    stale: paths.filter(path => existsSync(join(folder, path)) && read(folder, path) !== files.get(path)),
    missing: paths.filter(path => !existsSync(join(folder, path))),
    orphaned: present.filter(path => !files.has(path)).sort(),
  };
}

/** Writes stale and missing files and deletes orphans; other files keep their modification time. */
export function repairFolder(folder: string, files: ReadonlyMap<string, string>, difference: FolderDifference): void {
  for (const path of [...difference.stale, ...difference.missing]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), files.get(path) ?? '');
  }
  for (const path of difference.orphaned) rmSync(join(folder, path), { recursive: true });
}

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}
