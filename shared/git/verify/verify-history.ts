/** Verifies that all new commits of a history are signed. */
import { type CommitInfo, readCommit } from '../commit.ts';
import { GitError } from '../git-error.ts';
import { hasCommit, isAncestor, listCommitsSince } from '../history.ts';
import { describeCommit } from '../tree.ts';
import type { Workspace } from '../workspace.ts';
import type { Keyring } from './keyring.ts';
import { type Signer, verifyCommit } from './verify-commit.ts';

export interface HistoryOptions {
  /** The newest commit that was verified before; null for none. */
  readonly since: string | null;
  /**
   * Whether the history may diverge from that commit, as for a tag: then every commit that it did not contain is verified. A branch may not
   * diverge: a person who can push without a key could restore an old state.
   */
  readonly mayLeave: boolean;
}

/**
 * Verifies every commit since the last one that was verified, merged commits included. If no commit was verified before, only the given commit is
 * verified.
 *
 * @param workspace has the whole history of both commits
 * @returns the signer of the last one
 * @throws GitError `signature` with the first invalid commit; `rewritten`
 */
export async function verifyHistory(
  workspace: Workspace,
  keyring: Keyring,
  commit: CommitInfo,
  { since, mayLeave }: HistoryOptions,
): Promise<Signer> {
  const before =
    since === null || since === commit.id ? [] : await listNewCommits(workspace, commit.id, since, mayLeave);
  for (const id of before) {
    if (id !== commit.id) await verifyCommit(workspace, keyring, await readCommit(workspace, id));
  }
  return verifyCommit(workspace, keyring, commit);
}

async function listNewCommits(
  workspace: Workspace,
  commit: string,
  since: string,
  mayLeave: boolean,
): Promise<readonly string[]> {
  const isContinued = mayLeave ? hasCommit(workspace, since) : isAncestor(workspace, since, commit);
  if (await isContinued) return listCommitsSince(workspace, since, commit);
  throw new GitError(
    'rewritten',
    describeCommit(workspace, commit),
    `the history was rewritten: it no longer has commit ${since.slice(0, 12)}, up to which signatures were verified; put that commit back and sign new ones on top of it, or verify in mode Head once to begin again`,
  );
}
