/** Reads a file of entries from a Git repository. */

import type { RegistryOrigin } from '#schemas';
import { findBasicUserProblem } from '#schemas';
import {
  createGitRemote,
  fetchCommit,
  type GitCredentials,
  GitError,
  type GitLimits,
  readFileAt,
  resolveCommit,
  Workspace,
} from '#shared/git';
import { readSecret, SecretError } from '../../auth/secrets.ts';

export type GitOrigin = Extract<RegistryOrigin, { readonly type: 'git' }>;

export interface GitReadOptions {
  /** Aborts the reading. When the promise settles, all Git processes have ended. */
  readonly signal: AbortSignal;
  /** Absolute folder for the repository while it is read; several readings may share it. */
  readonly cacheDir: string;
  /** The commit of the last reading of the same source. */
  readonly known?: string | undefined;
  /** Default: `GIT_LIMITS`. */
  readonly limits?: Partial<GitLimits>;
}

export interface GitText {
  readonly text: string;
  /** The id of the commit. */
  readonly revision: string;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the file. First the ref is resolved to a commit: if the commit is already known, nothing is fetched. A pinned commit needs no request for
 * that. The password is read from its file each time.
 *
 * @throws GitError, and the reason of the signal
 */
export async function readGitSource(
  origin: GitOrigin,
  { signal, cacheDir, known, limits = {} }: GitReadOptions,
): Promise<GitText | 'unchanged'> {
  const open = createGitRemote(origin.repository, null);
  const remote = { ...open, credentials: readCredentials(origin, open.url) };
  await using workspace = await Workspace.open(remote, { folder: cacheDir, signal, limits });
  const commit = await resolveCommit(workspace, origin.ref);
  if (commit === known) return 'unchanged';
  const revision = await fetchCommit(workspace, origin.ref, commit);
  const bytes = await readFileAt(workspace, revision, origin.path);
  return { text: decode(bytes, `${remote.url}, ${origin.path}`), revision };
}

function readCredentials({ credentials }: GitOrigin, location: string): GitCredentials | null {
  if (credentials === null) return null;
  const { username, passwordFile } = credentials;
  const problem = findBasicUserProblem(username);
  if (problem !== undefined) throw new GitError('invalid', location, `the user name ${problem}`);
  try {
    const password = readSecret({ file: passwordFile, env: null }, `password of user "${username}"`);
    return { type: 'basic', username, password };
  } catch (error) {
    if (error instanceof SecretError) throw new GitError('credentials', location, error.message);
    throw error;
  }
}

function decode(bytes: Buffer, location: string): string {
  if (bytes.subarray(0, 64).toString('latin1').startsWith('version https://git-lfs.github.com/spec/'))
    throw new GitError('no_file', location, 'the file is in Git LFS, which is not read; commit the file itself');
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new GitError('no_file', location, 'it is not UTF-8 text; save it as UTF-8');
  }
}
