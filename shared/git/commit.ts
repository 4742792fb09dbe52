/** The fields of a commit. */
import { GitError, sanitize } from './git-error.ts';
import { describeCommit } from './tree.ts';
import type { Workspace } from './workspace.ts';

export interface CommitInfo {
  readonly id: string;
  readonly parents: readonly string[];
  /** Name and address as written, escaped for display. Not verified. */
  readonly author: string;
  /** The committer's time, in milliseconds since 1970. Not verified either. */
  readonly committedAtMs: number;
  /** The first line, escaped for display. */
  readonly subject: string;
  readonly signature: 'none' | 'openpgp' | 'ssh' | 'other';
}

/** Maximum size of a commit with its message and signature, in bytes. */
const MAX_COMMIT_BYTES = 1024 * 1024;

const MAX_SHOWN = 100;

/** @throws GitError */
export async function readCommit(workspace: Workspace, commit: string): Promise<CommitInfo> {
  const raw = (await workspace.runBytes(MAX_COMMIT_BYTES, 'cat-file', 'commit', commit)).toString('utf8');
  const end = raw.indexOf('\n\n');
  const head = end === -1 ? raw : raw.slice(0, end);
  const message = end === -1 ? '' : raw.slice(end + 2);
  const committer = /^committer .*> (\d+) [+-]\d{4}$/m.exec(head);
  if (committer === null)
    throw new GitError('bad_tree', describeCommit(workspace, commit), 'the commit has no date; make it again');
  return {
    id: commit,
    parents: Array.from(head.matchAll(/^parent ([0-9a-f]+)$/gm), ([, id = '']) => id),
    author: sanitize(/^author (.*>) \d+ [+-]\d{4}$/m.exec(head)?.[1] ?? '', MAX_SHOWN),
    // A time beyond the range of dates is invalid.
    committedAtMs: Math.min(Number(committer[1]) * 1000, 8.64e15),
    subject: sanitize(message.trimStart().split('\n')[0] ?? '', MAX_SHOWN),
    signature: detectSignature(head),
  };
}

/** The format of a signature, which Git also recognizes by its first bytes. */
function detectSignature(head: string): CommitInfo['signature'] {
  const begin = /^gpgsig(?:-sha256)? (.*)$/m.exec(head)?.[1];
  if (begin === undefined) return 'none';
  if (/^-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----/.test(begin)) return 'openpgp';
  return begin.startsWith('-----BEGIN SSH SIGNATURE-----') ? 'ssh' : 'other';
}
