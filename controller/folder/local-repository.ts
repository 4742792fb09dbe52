/** A repository on this machine, given by a path. */
import { existsSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { OptionError } from '#shared/util';

/**
 * Refuses a subfolder of a repository with an error that says what to write instead. Git finds the repository of the current folder in its parents,
 * but not the repository of an address.
 *
 * @param repo absolute
 * @param path of the option `--path`
 * @throws OptionError when it is a folder within a repository
 */
export function refuseSubfolder(repo: string, path: string): void {
  if (!existsSync(repo) || isRepository(repo)) return;
  for (let root = dirname(repo); root !== dirname(root); root = dirname(root)) {
    if (!isRepository(root)) continue;
    const inside = posix.join(relative(root, repo).split(sep).join('/'), path);
    throw new OptionError(
      `--repo ${repo}: it is a folder of the repository ${root}; write --repo ${root} --path ${inside}`,
    );
  }
}

/** Whether a folder is a repository: with a working tree (whose `.git` is a file in worktrees and submodules), or bare. */
function isRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || ['HEAD', 'objects', 'refs'].every(name => existsSync(join(folder, name)));
}
