/** A repository to read from, in the form that git is given it. */
import { pathToFileURL } from 'node:url';
import { gitRepositoryProblem } from '#schemas';
import { GitError } from './git-error.ts';
import type { GitScheme } from './settings.ts';

/** For HTTP basic authentication. */
export interface GitCredentials {
  readonly username: string;
  readonly password: string;
}

export interface GitRemote {
  /** Without credentials; fit to be shown. */
  readonly url: string;
  readonly scheme: GitScheme;
  readonly credentials: GitCredentials | null;
}

/**
 * @param repository an https, http or file URL, or an absolute path
 * @throws GitError
 */
export function gitRemote(repository: string, credentials: GitCredentials | null): GitRemote {
  const problem = gitRepositoryProblem(repository);
  // It is not shown: a URL may have credentials in it.
  if (problem !== undefined) throw new GitError('invalid', 'the address of a git repository', `it ${problem}`);
  // As the parser writes it: one that git and we read alike. A path becomes a URL too, so that git copies nothing by itself.
  const url = repository.startsWith('/') ? pathToFileURL(repository) : new URL(repository);
  const scheme = url.protocol.slice(0, -1) as GitScheme;
  return { url: url.href, scheme, credentials: scheme === 'file' ? null : credentials };
}

/** The settings that carry the credentials: a header for this server only, which no redirect takes elsewhere. */
export function secretSettings({ url, credentials }: GitRemote): Record<string, string> {
  if (credentials === null) return {};
  return { [`http.${new URL(url).origin}/.extraHeader`]: `Authorization: Basic ${basicToken(credentials)}` };
}

/** What must not be shown of a remote. */
export function secretsOf({ credentials }: GitRemote): string[] {
  return credentials === null ? [] : [credentials.password, basicToken(credentials)];
}

/** RFC 7617, section 2. */
function basicToken({ username, password }: GitCredentials): string {
  return Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
}
