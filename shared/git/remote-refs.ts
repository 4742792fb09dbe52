/** Lists a server's refs by name. */
import { GitError } from './git-error.ts';
import type { Workspace } from './workspace.ts';

/** Limits on the list, in bytes: for a few names, and for all refs of a kind, such as a hundred thousand tags. */
const MAX_NAMED_BYTES = 64 * 1024;
const MAX_ALL_BYTES = 16 * 1024 * 1024;

export interface RemoteRefs {
  /** The name of the default branch without `refs/heads/`; null when the server names none. */
  readonly defaultBranch: string | null;
  /** Ids by full name. The commit of an annotated tag is under the tag's name with `^{}`. */
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * The server's current refs: one connection, and nothing is fetched.
 * @param patterns full names, or patterns with `*`; `HEAD` for the default branch
 * @throws GitError
 */
export async function listRemoteRefs(workspace: Workspace, patterns: readonly string[]): Promise<RemoteRefs> {
  const args = ['ls-remote', '--quiet', '--symref', '--', workspace.remote.url, ...patterns];
  const maxBytes = patterns.some(pattern => pattern.includes('*')) ? MAX_ALL_BYTES : MAX_NAMED_BYTES;
  const output = await workspace.runBytes(maxBytes, ...args).catch(error => {
    throw error instanceof GitError && error.reason === 'too_large'
      ? createTooManyRefs(workspace, patterns, maxBytes)
      : error;
  });
  const text = output.toString('utf8');
  const ids = text.matchAll(/^((?:[0-9a-f]{40}|[0-9a-f]{64}))\t(.+)$/gm);
  return {
    defaultBranch: /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(text)?.[1] ?? null,
    ids: new Map(Array.from(ids, ([, id = '', name = '']) => [name, id])),
  };
}

/** The list may be full of refs that only end in the requested name, because Git lists those as well. */
function createTooManyRefs({ remote }: Workspace, patterns: readonly string[], maxBytes: number): GitError {
  const cause = `it has too many refs whose names end in ${patterns.join(' or ')}: their list has more than ${maxBytes} bytes; delete those that are not used`;
  return new GitError('too_large', remote.url, cause);
}

/** The commit of a name, resolving annotated tags. */
export function findCommitNamed({ ids }: RemoteRefs, name: string): string | undefined {
  return ids.get(`${name}^{}`) ?? ids.get(name);
}
