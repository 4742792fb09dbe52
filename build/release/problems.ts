/** Problems that keep the working tree from being released. */
import { execFileSync } from 'node:child_process';
import { findOtherVersions, formatVersionFinding, readVersion } from './versions.ts';

/** Files that differ from the commit, according to `git status`. */
export function listChangedFiles(root: string): string {
  return execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' }).trimEnd();
}

/** Messages for people; empty when the tree can be released. */
export function findProblems(root: string, areChangesAllowed: boolean): readonly string[] {
  const changed = areChangesAllowed ? '' : listChangedFiles(root);
  const version = readVersion(root);
  return [
    ...(changed === '' ? [] : [`files differ from the commit (--allow-changes goes on):\n${changed}`]),
    ...findOtherVersions(root).map(found => formatVersionFinding(found, version)),
  ];
}
