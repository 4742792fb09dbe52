/** How commits follow each other. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from './git-error.ts';
import { describeCommit } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** Limit on commits that are looked at one by one. */
export const MAX_COMMITS = 5_000;

/** Is the first commit part of what led to the second? One that is not there is not: history was fetched whole. */
export async function isAncestor(workspace: Workspace, commit: string, of: string): Promise<boolean> {
  if (!(await hasCommit(workspace, commit))) return false;
  const output = await workspace.attempt(['merge-base', '--is-ancestor', commit, of]);
  if (output.code === 0) return true;
  if (output.code === 1) return false;
  throw workspace.toFailure(output);
}

export async function hasCommit(workspace: Workspace, commit: string): Promise<boolean> {
  return (await workspace.attempt(['cat-file', '-e', `${commit}^{commit}`])).code === 0;
}

/**
 * All commits that led to one and not to another: merges, and what they brought, included. The oldest first.
 *
 * @throws GitError `signature` when there are too many, or the server has only a part of the history
 */
export async function commitsSince(workspace: Workspace, since: string, until: string): Promise<string[]> {
  const ids = (await workspace.read(MAX_LIST_BYTES, 'rev-list', '--topo-order', '--reverse', until, `^${since}`, '--'))
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
  // Where history is cut off, git takes a commit for the first one, and would pass over all that came before it.
  const cut = new Set((await shallowCommits(workspace)).split('\n'));
  const first = ids.find(id => cut.has(id));
  if (first !== undefined)
    throw new GitError(
      'signature',
      location,
      `what led to commit ${first.slice(0, 12)} is not known, since the server has only a part of the history; use a server that has all of it`,
    );
  return ids;
}

/** Far more than the ids of so many commits; bytes. */
const MAX_LIST_BYTES = 16 * 1024 * 1024;

async function shallowCommits({ repository }: Workspace): Promise<string> {
  try {
    return await readFile(join(repository, 'shallow'), 'latin1');
  } catch {
    return '';
  }
}
