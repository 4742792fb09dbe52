/** A repository to read from, in the form for Git. */
import { pathToFileURL } from 'node:url';
import { findGitRepositoryProblem, findGitSourceProblem } from '#schemas';
import type { ClientCertificate, GitCredentials } from './credentials.ts';
import type { GitScheme } from './environment.ts';
import { GitError } from './git-error.ts';

export interface GitRemote {
  /** The URL without credentials, for messages. */
  readonly url: string;
  readonly scheme: GitScheme;
  readonly credentials: GitCredentials | null;
  /** PEM of certificate authorities that replace the machine's; null for the machine's. */
  readonly authorities: string | null;
  readonly certificate: ClientCertificate | null;
}

/**
 * A repository that a source of a registry names.
 *
 * @param repository an https, http or file URL, or an absolute path
 * @throws GitError
 */
export function createGitRemote(repository: string, credentials: GitCredentials | null): GitRemote {
  return createRemote(repository, findGitRepositoryProblem(repository), {
    credentials,
    authorities: null,
    certificate: null,
  });
}

export interface SourceRemoteOptions {
  readonly credentials?: GitCredentials | null | undefined;
  readonly authorities?: string | null | undefined;
  readonly certificate?: ClientCertificate | null | undefined;
  /** Whether repositories of this machine may be read: paths, file URLs, and http on loopback addresses. */
  readonly isLocalAllowed?: boolean | undefined;
}

/**
 * A repository that a GatewaySource names.
 *
 * @param repository an https or ssh URL, or `user@host:path`
 * @throws GitError, also for a missing ssh key, or a key of another type
 */
export function createGitSourceRemote(repository: string, options: SourceRemoteOptions = {}): GitRemote {
  const { credentials = null, authorities = null, certificate = null, isLocalAllowed = false } = options;
  const access = { credentials, authorities, certificate };
  const remote = createRemote(repository, findGitSourceProblem(repository, isLocalAllowed), access);
  const { scheme, url } = remote;
  if (scheme === 'ssh' && credentials?.type !== 'ssh')
    throw new GitError('credentials', url, 'ssh needs a key and the keys of the host; give identity and known_hosts');
  if ((scheme === 'http' || scheme === 'https') && credentials?.type === 'ssh')
    throw new GitError(
      'credentials',
      url,
      'an ssh key cannot be used for this address; give a user name and a password, or a token',
    );
  // Without a trusted host key no connection can succeed, so this is reported before connecting.
  if (credentials?.type === 'ssh' && credentials.knownHosts.trim() === '')
    throw new GitError(
      'host_key',
      url,
      'known_hosts is empty, so no host can be trusted; put the output of ssh-keyscan into it',
    );
  return remote;
}

function createRemote(
  repository: string,
  problem: string | undefined,
  access: Pick<GitRemote, 'credentials' | 'authorities' | 'certificate'>,
): GitRemote {
  // The address itself is not shown, because a URL may contain credentials.
  if (problem !== undefined) throw new GitError('invalid', 'the address of a git repository', `it ${problem}`);
  // The scp form stays unchanged: its path is relative to a home folder, which no URL can express.
  if (!repository.startsWith('/') && !/^[a-z]+:\/\//i.test(repository))
    return { url: repository, scheme: 'ssh', ...access };
  // The URL in normalized form, which Git and this code parse alike. A path becomes a URL as well, so that Git does not copy the
  // repository's files directly.
  const url = repository.startsWith('/') ? pathToFileURL(repository) : new URL(repository);
  const scheme = url.protocol.slice(0, -1) as GitScheme;
  return { url: url.href, scheme, ...access, ...(scheme === 'file' && { credentials: null }) };
}
