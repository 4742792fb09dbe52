/** Reads one file of a commit from the objects: nothing is checked out. */
import { findGitPathProblem } from '#schemas';
import { GitError } from './git-error.ts';
import type { Workspace } from './workspace.ts';

/** Modes of tree entries that are not files, with descriptions. */
const OTHER_MODES: Readonly<Record<string, string>> = {
  '040000': 'a folder',
  '120000': 'a symbolic link, which is not followed',
  '160000': 'a submodule, which is not fetched',
};

/**
 * The committed bytes of a file: filters and line-end conversion do not apply.
 * @param path from the root, with forward slashes
 * @throws GitError
 */
export async function readFileAt(workspace: Workspace, commit: string, path: string): Promise<Buffer> {
  const { remote, limits } = workspace;
  const location = `${remote.url} at ${commit.slice(0, 12)}, ${path}`;
  const problem = findGitPathProblem(path);
  if (problem !== undefined) throw new GitError('invalid', remote.url, `path ${problem}`);
  const listed = await workspace.run('ls-tree', '-z', '--long', '--full-tree', commit, '--', path);
  const entry = /^(\d{6}) (\w+) ([0-9a-f]+) +(\d+|-)\t/.exec(listed);
  if (entry === null) throw new GitError('no_file', location, 'there is no such file; check path');
  const [, mode = '', type, id = '', size] = entry;
  if (type !== 'blob' || mode in OTHER_MODES)
    throw new GitError(
      'no_file',
      location,
      `it is ${OTHER_MODES[mode] ?? 'no file'}; give the path of the file itself`,
    );
  if (Number(size) > limits.fileBytes)
    throw new GitError('too_large', location, `it has ${size} bytes; at most ${limits.fileBytes} are read`);
  return workspace.runBytes(limits.fileBytes, 'cat-file', 'blob', id);
}
