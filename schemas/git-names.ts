/**
 * What a git source may name. The compiler judges configurations by it, and the runtime what it is given before git sees it: a
 * bundle may come from elsewhere, and git takes much for an option or a command (`--upload-pack=…`, `ext::…`).
 */

/** Why this is no repository that is read; the end of a sentence about it. */
export function gitRepositoryProblem(text: string): string | undefined {
  // The parsers of git, curl and Node disagree about these.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'has a space, a backslash or a control character';
  if (text.startsWith('/'))
    return text.startsWith('//') ? 'is not an absolute path, which starts with one slash' : undefined;
  const url = URL.parse(text);
  if (url !== null && /^(?:https?|file):$/.test(url.protocol) && /^[a-z]+:\/\//i.test(text)) return urlProblem(url);
  return /^(?:(?:git\+)?ssh|ssh\+git):/i.test(text) || /^[^/:]+@[^/:]+:/.test(text)
    ? 'is read over ssh, for which no key can be given; use https, with auth where it is not public'
    : 'is not an https, http or file URL and not an absolute path';
}

function urlProblem({ protocol, hostname, username, password, search, hash, pathname }: URL): string | undefined {
  if (username !== '' || password !== '') return 'contains credentials; use auth';
  if (search !== '' || hash !== '') return 'has a query or a fragment, which no repository has';
  if (protocol !== 'file:') return undefined;
  if (hostname !== '') return 'names a host: a file URL is of this machine, such as file:///srv/git/catalog.git';
  return pathname.startsWith('//') ? 'is not an absolute path, which starts with one slash' : undefined;
}

/**
 * Why this is no repository that a GatewaySource is read from; the end of a sentence about it.
 *
 * @param isLocalAllowed whether this machine's own may be read: absolute paths, file URLs, and http on loopback addresses
 */
export function gitSourceProblem(text: string, isLocalAllowed = false): string | undefined {
  if (/[\s\\\p{Cc}]/u.test(text)) return 'has a space, a backslash or a control character';
  if (isLocalAllowed && isLocalRepository(text)) return gitRepositoryProblem(text);
  const scp = /^([^/:@]+)@([^/:@]+):(?!\/\/)(.+)$/.exec(text);
  if (scp !== null) return sshProblem(scp[1] ?? '', scp[2] ?? '', scp[3] ?? '');
  const url = /^[a-z]+:\/\//i.test(text) ? URL.parse(text) : null;
  switch (url?.protocol) {
    case 'https:':
      return urlProblem(url);
    case 'http:':
      if (!isLocalAllowed || !isLoopback(url.hostname))
        return 'is read over http, which neither encrypts nor says who answers; use https or ssh';
      return urlProblem(url);
    case 'ssh:':
      if (url.password !== '') return 'contains a password; give a key in the Secret';
      if (url.search !== '' || url.hash !== '') return 'has a query or a fragment, which no repository has';
      return sshProblem(url.username, url.hostname, url.pathname);
    default:
      return `is not an https or ssh URL${isLocalAllowed ? ', a file URL or an absolute path' : ''}`;
  }
}

/** ssh and the shell of the server read these: only what cannot be taken for an option or a command. */
function sshProblem(user: string, host: string, path: string): string | undefined {
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

/** Is this a repository on the machine itself? Of what `gitRepositoryProblem` finds no fault with. */
export function isLocalRepository(text: string): boolean {
  return text.startsWith('/') || /^file:/i.test(text);
}

/**
 * Why this cannot be the name of a branch or a tag, or the id of a commit; the end of a sentence about it.
 *
 * @see https://git-scm.com/docs/git-check-ref-format
 */
export function gitRefProblem(type: 'branch' | 'tag' | 'commit', name: string): string | undefined {
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

/** Why this cannot be the path of a file in a repository; the end of a sentence about it. */
export function gitPathProblem(path: string): string | undefined {
  if (path.startsWith('-')) return 'starts with a hyphen, as an option of git does';
  if (/\p{Cc}/u.test(path)) return 'has a control character';
  return path.split('/').every(part => part !== '' && part !== '.' && part !== '..')
    ? undefined
    : 'is not a path from the root of the repository to a file, such as catalog/servers.json';
}

/** Why this cannot be the user name of HTTP basic authentication; the end of a sentence about it (RFC 7617, 2). */
export function basicUserProblem(name: string): string | undefined {
  return /[:\p{Cc}]/u.test(name)
    ? 'has a colon or a control character, which basic authentication cannot carry'
    : undefined;
}
