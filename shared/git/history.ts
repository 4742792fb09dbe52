/** Relations between commits. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from './git-error.ts';
import { describeCommit } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** Maximum number of commits that are checked one by one. */
export const MAX_COMMITS = 5_000;

/** Whether the first commit is an ancestor of the second. A missing commit is not, because the whole history was fetched. */
export async function isAncestor(workspace: Workspace, commit: string, of: string): Promise<boolean> {
  if (!(await hasCommit(workspace, commit))) return false;
  const output = await workspace.tryRun(['merge-base', '--is-ancestor', commit, of]);
  if (output.code === 0) return true;
  if (output.code === 1) return false;
  throw workspace.toFailure(output);
}

export async function hasCommit(workspace: Workspace, commit: string): Promise<boolean> {
  return (await workspace.tryRun(['cat-file', '-e', `${commit}^{commit}`])).code === 0;
}

/**
 * All ancestors of one commit that are not ancestors of another, including merges and merged commits. Oldest first.
 *
 * @throws GitError `signature` when there are too many, or the server has only part of the history
 */
export async function listCommitsSince(workspace: Workspace, since: string, until: string): Promise<string[]> {
  const ids = (
    await workspace.runBytes(MAX_LIST_BYTES, 'rev-list', '--topo-order', '--reverse', until, `^${since}`, '--')
  )
    .toString('latin1')
    .split('\n')
    .filter(id => id !== '');
  const location = describeCommit(workspace, until);
  if (ids.length > MAX_COMMITS)
    throw new GitError(
      'signature',
      location,
      `there are ${ids.length} commits since ${since.slice(0, 12)}, and at most ${MAX_COMMITS} are verified at once; verify in mode Head once`,
    );
  // Git treats a commit at a shallow boundary as the first one, and would skip its ancestors.
  const cut = new Set((await readShallowCommits(workspace)).split('\n'));
  const first = ids.find(id => cut.has(id));
  if (first !== undefined)
    throw new GitError(
      'signature',
      location,
      `the history before commit ${first.slice(0, 12)} is not known, because the server has only a part of the history; use a server that has all of it`,
    );
  return ids;
}

/** Limit on Git's list of commits, in bytes. The ids of the most commits that are verified at once are far smaller. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

async function readShallowCommits({ repository }: Workspace): Promise<string> {
  try {
    return await readFile(join(repository, 'shallow'), 'latin1');
  } catch {
    return '';
  }
}
