/** The repository in a source's URL, and the address of its forge's API. */
import type { Provider } from './forge.ts';
import { ForgeError } from './forge-error.ts';

export interface RepositoryLocation {
  /** Scheme, host and port of the web pages. */
  readonly origin: string;
  /** The parents of the repository: an owner, or in GitLab a group with subgroups. */
  readonly owner: readonly string[];
  readonly name: string;
}

/** `user@host:path` as in Git: a colon before any slash. */
const SCP_FORM = /^(?:[^@/:]+@)?(\[[^\]]+\]|[^/:]+):(?!\/\/)(.*)$/s;

/**
 * Parses Git's URL forms: https, ssh and `user@host:path`. The port of an ssh URL is ignored, because the forge's API has a port of its own.
 *
 * @throws ForgeError `invalid` without an owner and a repository; the message does not contain the URL
 */
export function parseRepositoryLocation(url: string): RepositoryLocation {
  const scp = url.includes('://') ? undefined : SCP_FORM.exec(url);
  if (scp !== null && scp !== undefined) return toLocation(`https://${scp[1]}`, scp[2] ?? '');
  if (!URL.canParse(url)) throw createNotLocatedError();
  const { protocol, host, hostname, pathname } = new URL(url);
  if (protocol === 'https:' || protocol === 'http:') return toLocation(`${protocol}//${host}`, pathname);
  if (protocol === 'ssh:' && hostname !== '') return toLocation(`https://${hostname}`, pathname);
  throw createNotLocatedError();
}

function toLocation(origin: string, path: string): RepositoryLocation {
  const segments = path
    .split('/')
    .filter(segment => segment !== '')
    .map(decodeSegment);
  const name = segments.at(-1)?.replace(/\.git$/i, '') ?? '';
  const owner = segments.slice(0, -1);
  const isOdd = [...owner, name].some(
    part => part === '' || part === '.' || part === '..' || /[\p{Cc}/\\]/u.test(part),
  );
  if (owner.length === 0 || isOdd || !URL.canParse(origin)) throw createNotLocatedError();
  return { origin: new URL(origin).origin, owner, name };
}

/** An invalid percent encoding stays unchanged. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function createNotLocatedError(): ForgeError {
  return new ForgeError(
    'invalid',
    'the URL of the repository names no owner and repository, so the controller cannot write commit statuses',
  );
}

/**
 * Root of the API, without a slash at its end.
 *
 * @see https://docs.github.com/en/enterprise-server/rest/using-the-rest-api/getting-started-with-the-rest-api
 * @see https://docs.gitlab.com/api/rest/
 * @see https://docs.gitea.com/development/api-usage
 */
export function getApiRoot(provider: Provider, { origin }: RepositoryLocation, apiUrl?: string): string {
  if (apiUrl !== undefined) return checkRoot(apiUrl);
  switch (provider) {
    case 'github': {
      const { hostname } = new URL(origin);
      if (hostname === 'github.com' || hostname === 'ssh.github.com') return 'https://api.github.com';
      // GitHub Enterprise Cloud with data residency has a separate API host.
      if (hostname.endsWith('.ghe.com')) return `https://api.${hostname}`;
      return `${origin}/api/v3`;
    }
    case 'gitlab':
      // `altssh.gitlab.com` is the host that gitlab.com uses for ssh at port 443: its API is at `gitlab.com`.
      return `${origin.replace(/^https:\/\/altssh\.gitlab\.com$/, 'https://gitlab.com')}/api/v4`;
    case 'gitea':
      return `${origin}/api/v1`;
  }
}

function checkRoot(apiUrl: string): string {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  const isPlain =
    url !== undefined &&
    (url.protocol === 'https:' || url.protocol === 'http:') &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '';
  if (!isPlain) throw new ForgeError('invalid', 'commitStatus.apiUrl must be a URL without user, query and fragment');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
