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
