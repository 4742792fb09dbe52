/**
 * Checks what a git source names. The compiler applies it to configurations. The runtime applies it to every bundle before it runs git, because
 * git takes many texts for an option or a command (`--upload-pack=…`, `ext::…`).
 */

/** Why a text is not an accepted repository URL; the end of a sentence about it. */
export function findGitRepositoryProblem(text: string): string | undefined {
  // git, curl and Node parse these differently.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'has a space, a backslash or a control character';
  if (text.startsWith('/'))
    return text.startsWith('//') ? 'is not an absolute path, which starts with one slash' : undefined;
  const url = URL.parse(text);
  if (url !== null && /^(?:https?|file):$/.test(url.protocol) && /^[a-z]+:\/\//i.test(text)) return findUrlProblem(url);
  return /^(?:(?:git\+)?ssh|ssh\+git):/i.test(text) || /^[^/:]+@[^/:]+:/.test(text)
    ? 'is read over ssh, for which no key can be given; use https, with auth where it is not public'
    : 'is not an https, http or file URL and not an absolute path';
}

function findUrlProblem({ protocol, hostname, username, password, search, hash, pathname }: URL): string | undefined {
  if (username !== '' || password !== '') return 'contains credentials; use auth';
  if (search !== '' || hash !== '') return 'has a query or a fragment, which no repository has';
  if (protocol !== 'file:') return undefined;
  if (hostname !== '') return 'names a host: a file URL is of this machine, such as file:///srv/git/catalog.git';
  return pathname.startsWith('//') ? 'is not an absolute path, which starts with one slash' : undefined;
}

/**
 * Why a GatewaySource cannot read this repository; the end of a sentence about it.
 *
 * @param isLocalAllowed whether repositories of this machine are allowed: absolute paths, file URLs, and http on loopback addresses
 */
export function findGitSourceProblem(text: string, isLocalAllowed = false): string | undefined {
  if (/[\s\\\p{Cc}]/u.test(text)) return 'has a space, a backslash or a control character';
  if (isLocalAllowed && isLocalRepository(text)) return findGitRepositoryProblem(text);
  const scp = /^([^/:@]+)@([^/:@]+):(?!\/\/)(.+)$/.exec(text);
  if (scp !== null) return findSshProblem(scp[1] ?? '', scp[2] ?? '', scp[3] ?? '');
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(text) : null;
  switch (url?.protocol) {
    case 'https:':
      return findUrlProblem(url);
    case 'http:':
      if (!isLocalAllowed || !isLoopback(url.hostname))
        return 'is read over http, which neither encrypts nor says who answers; use https or ssh';
      return findUrlProblem(url);
    case 'ssh:':
      if (url.password !== '') return 'contains a password; give a key in the Secret';
      if (url.search !== '' || url.hash !== '') return 'has a query or a fragment, which no repository has';
      return findSshProblem(url.username, url.hostname, url.pathname);
    default:
      return `is not an https or ssh URL${isLocalAllowed ? ', a file URL or an absolute path' : ''}`;
  }
}

/** ssh and the server's shell interpret these, so a text that could be an option or a command is refused. */
function findSshProblem(user: string, host: string, path: string): string | undefined {
  if (user === '') return 'names no user for ssh, such as ssh://git@git.example.com/team/gateways.git';
  if (!/^[a-z0-9_][\w.-]*$/i.test(user)) return 'has a user name that is none for ssh';
  if (!/^(?:[a-z0-9][a-z0-9.-]*|\[[0-9a-f:.]+\])$/i.test(host)) return 'has a host name that is none for ssh';
  if (!/^\/?(?:~[\w.-]*\/)?[\p{L}\p{N}._][\p{L}\p{N}._~%+@,=/-]*$/u.test(path))
    return 'has a path that is none of a repository';
  return undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether an accepted repository is on this machine. */
export function isLocalRepository(text: string): boolean {
  return text.startsWith('/') || /^file:/i.test(text);
}

/**
 * Why this is not a valid branch, tag or commit id; the end of a sentence about it.
 *
 * @see https://git-scm.com/docs/git-check-ref-format
 */
export function findGitRefProblem(type: 'branch' | 'tag' | 'commit', name: string): string | undefined {
  if (type === 'commit')
    return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(name)
      ? undefined
      : 'is not a full commit id: 40 (or 64) hexadecimal digits in lower case';
  if (name.startsWith('-')) return 'starts with a hyphen, as an option of git does';
  if (/^refs\/(?:heads|tags)\//.test(name)) return `starts with refs/: give the name of the ${type} alone`;
  const isName =
    !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\.$/u.test(name) &&
    name.split('/').every(part => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
  return isName ? undefined : `is not a name that git allows for a ${type}`;
}

/** Why this is not a valid path of a file in a repository; the end of a sentence about it. */
export function findGitPathProblem(path: string): string | undefined {
  if (path.startsWith('-')) return 'starts with a hyphen, as an option of git does';
  if (/\p{Cc}/u.test(path)) return 'has a control character';
  return path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
    ? undefined
    : 'is not a path from the root of the repository to a file, such as catalog/servers.json';
}

/** Why this is not a valid user name for HTTP basic authentication (RFC 7617, section 2); the end of a sentence about it. */
export function findBasicUserProblem(name: string): string | undefined {
  return /[:\p{Cc}]/u.test(name)
    ? 'has a colon or a control character, which basic authentication cannot carry'
    : undefined;
}
