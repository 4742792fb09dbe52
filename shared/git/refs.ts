/** Resolves refs to commits and fetches them. */
import { findGitRefProblem } from '#schemas';
import { GitError } from './git-error.ts';
import { findCommitNamed, listRemoteRefs } from './remote-refs.ts';
import type { Workspace } from './workspace.ts';

/** What to read: a commit, a branch, a tag, or `default` for the repository's default branch. */
export type GitRef =
  | { readonly type: 'default' }
  | { readonly type: 'branch' | 'tag' | 'commit'; readonly name: string };

/** Prefix of fetched refs, which no other ref has, so that nothing is read by accident. */
const FETCHED = 'refs/lintel';

/** A depth beyond any history, which Git treats as infinite. */
const WHOLE_HISTORY = 2_147_483_647;

/**
 * The current commit of a ref according to the server; nothing is fetched. A commit id is returned unchanged.
 * @throws GitError
 */
export async function resolveCommit(workspace: Workspace, ref: GitRef): Promise<string> {
  if (ref.type !== 'default') {
    const problem = findGitRefProblem(ref.type, ref.name);
    if (problem !== undefined) throw new GitError('invalid', workspace.remote.url, `the ${ref.type} ${problem}`);
  }
  if (ref.type === 'commit') return ref.name;
  const name = formatRemoteName(ref);
  // An annotated tag is an object of its own. The server lists the commit of the tag under the name with `^{}`.
  const refNames = ref.type === 'tag' ? [`${name}^{}`, name] : [name];
  const id = findCommitNamed(await listRemoteRefs(workspace, refNames), name);
  if (id !== undefined) return id;
  const missing =
    ref.type === 'default'
      ? 'it has no commit on its default branch; check the address, or name a branch'
      : `it has no ${ref.type} "${ref.name}"; check the name, or create it`;
  throw new GitError('no_ref', workspace.remote.url, missing);
}

export interface FetchOptions {
  /**
   * The name of the fetched ref, in letters and digits. If several readers use a permanent repository, each has a name of its own, so that the
   * commits of the others stay.
   */
  readonly keeper?: string;
  /** Whether to fetch the whole history as well. */
  readonly withHistory?: boolean;
}

/**
 * Fetches the result of `resolveCommit`, without history if the server allows it.
 *
 * @returns the fetched commit: a later one if the branch moved meanwhile
 * @throws GitError
 */
export async function fetchCommit(
  workspace: Workspace,
  ref: GitRef,
  commit: string,
  { keeper = 'fetched', withHistory = false }: FetchOptions = {},
): Promise<string> {
  await workspace.init(commit.length === 64 ? 'sha256' : 'sha1');
  const source = ref.type === 'commit' ? commit : formatRemoteName(ref);
  const name = `${FETCHED}/${keeper}`;
  const isGiven = await workspace.fetch(withHistory ? WHOLE_HISTORY : 1, `+${source}:${name}`);
  if (isGiven) return resolve(workspace, name, 'the ref does not lead to a commit');
  // The server serves only objects that refs name: fetches everything, and finds the commit in it.
  const all = await workspace.fetch(
    WHOLE_HISTORY,
    `+refs/heads/*:${FETCHED}-heads/*`,
    `+refs/tags/*:${FETCHED}-tags/*`,
  );
  if (!all) throw new GitError('no_ref', workspace.remote.url, `the server refuses to send ${source}`);
  return resolve(workspace, commit, `no branch and no tag leads to commit ${commit}`);
}

async function resolve(workspace: Workspace, name: string, missing: string): Promise<string> {
  try {
    return (await workspace.run('rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`)).trim();
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'failed') throw error;
    throw new GitError('no_ref', workspace.remote.url, `${missing}; check the configuration of the source`);
  }
}

function formatRemoteName(ref: Exclude<GitRef, { type: 'commit' }>): string {
  if (ref.type === 'default') return 'HEAD';
  return `${ref.type === 'branch' ? 'refs/heads' : 'refs/tags'}/${ref.name}`;
}
