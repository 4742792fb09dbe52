/** A folder of generated files: how it differs from what it should hold, and putting it right. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Paths below the folder, each list sorted. */
export interface FolderDifference {
  /** Present with other bytes. */
  readonly stale: readonly string[];
  readonly missing: readonly string[];
  /** Present in an owned folder and not generated any more. */
  readonly orphaned: readonly string[];
}

/** What `folder` lacks or has too much of; only `owned` subfolders are searched for orphans, and not deeply. */
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

/** Writes what is stale or missing and removes orphans; files that are right keep their modification time. */
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
