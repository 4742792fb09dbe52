/** The ref that a source follows, and its current commit. */

import { findGitRefProblem, type GatewaySourceSpec } from '#schemas';
import {
  findCommitNamed,
  formatCommitRevision,
  GitError,
  type GitRef,
  listRemoteRefs,
  type Workspace,
} from '#shared/git';
import { findHighestVersion } from './highest-version.ts';
import type { SourceNames } from './source-names.ts';

export type DesiredRef = GitRef | { readonly type: 'semver'; readonly range: string };

/** One commit, and how it is fetched. */
export interface ResolvedRef {
  readonly ref: GitRef;
  /** The name of the branch or tag; null when the source names a commit by its id. */
  readonly name: string | null;
  readonly commit: string;
}

/**
 * The ref that a source follows.
 * @throws GitError `invalid` for names that git does not allow
 */
export function readDesiredRef(
  { ref = {} }: Pick<GatewaySourceSpec, 'ref'>,
  location: string,
  names: SourceNames,
): DesiredRef {
  if (ref.semver !== undefined) return { type: 'semver', range: ref.semver };
  for (const type of ['commit', 'tag', 'branch'] as const) {
    const name = ref[type];
    if (name === undefined) continue;
    const problem = findGitRefProblem(type, name);
    if (problem !== undefined) throw new GitError('invalid', location, `${names.ref(type)} ${problem}`);
    return { type, name };
  }
  return { type: 'default' };
}

/**
 * Queries the server once, even for a commit given by id: without permission to read the repository, cached data must not be used.
 *
 * @throws GitError `no_ref`, `invalid`, and connection errors
 */
export async function findCommit(
  workspace: Workspace,
  desiredRef: DesiredRef,
  names: SourceNames,
): Promise<ResolvedRef> {
  const { url } = workspace.remote;
  switch (desiredRef.type) {
    case 'commit':
      await listRemoteRefs(workspace, ['HEAD']);
      return { ref: desiredRef, name: null, commit: desiredRef.name };
    case 'branch':
    case 'tag': {
      const full = `${desiredRef.type === 'branch' ? 'refs/heads' : 'refs/tags'}/${desiredRef.name}`;
      const commit = findCommitNamed(await listRemoteRefs(workspace, [full, `${full}^{}`]), full);
      if (commit === undefined) throw new GitError('no_ref', url, `it has no ${desiredRef.type} "${desiredRef.name}"`);
      return { ref: desiredRef, name: desiredRef.name, commit };
    }
    case 'default': {
      const refs = await listRemoteRefs(workspace, ['HEAD']);
      const commit = refs.ids.get('HEAD');
      if (commit === undefined) throw new GitError('no_ref', url, 'it has no commit on its default branch');
      // The name of the default branch is `HEAD` if the server's protocol does not report another one.
      return { ref: desiredRef, name: refs.defaultBranch ?? 'HEAD', commit };
    }
    case 'semver': {
      const refs = await listRemoteRefs(workspace, ['refs/tags/*']);
      const tags = [...refs.ids.keys()].flatMap(name => /^refs\/tags\/(.+?)(?:\^\{\})?$/.exec(name)?.[1] ?? []);
      const name = findHighestVersion(new Set(tags), desiredRef.range);
      if (name === 'invalid') throw new GitError('invalid', url, `${names.ref('semver')} is not a range of versions`);
      if (name === undefined)
        throw new GitError('no_ref', url, `it has no tag with a version in the range of ${names.ref('semver')}`);
      // The name comes from the server: Git must not interpret it as an option or another ref.
      const problem = findGitRefProblem('tag', name);
      if (problem !== undefined) throw new GitError('invalid', url, `its tag ${problem}`);
      return { ref: { type: 'tag', name }, name, commit: findCommitNamed(refs, `refs/tags/${name}`) as string };
    }
  }
}

/** A revision as the status shows it: `main@sha1:…`. */
export function formatRevision({ name, commit }: Pick<ResolvedRef, 'name' | 'commit'>): string {
  return formatCommitRevision(name, commit);
}
