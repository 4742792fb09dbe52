/** Web pages of forges, which statuses link to. */
import type { Provider } from './forge.ts';
import type { RepositoryLocation } from './repository-location.ts';

/** A location in the repository, at the report's commit. */
export interface LinkTarget {
  /** From the root of the repository; empty for the root. */
  readonly path: string;
  readonly isFolder: boolean;
  /** From 1. */
  readonly line?: number | undefined;
}

/** Address of a file or folder at a commit, with `#L7` for a line; GitHub, GitLab and Gitea share this form. */
export function formatWebPage(
  provider: Provider,
  location: RepositoryLocation,
  commit: string,
  linkTarget: LinkTarget,
): string {
  const { owner, name } = location;
  const segments = [
    ...owner,
    name,
    ...listFolders(provider, commit, linkTarget.isFolder),
    ...linkTarget.path.split('/'),
  ];
  const path = segments.filter(segment => segment !== '' && segment !== '.').map(encodeURIComponent);
  const line = linkTarget.line === undefined || linkTarget.isFolder ? '' : `#L${linkTarget.line}`;
  return `${toWebOrigin(location)}/${path.join('/')}${line}`;
}

function listFolders(provider: Provider, commit: string, isFolder: boolean): readonly string[] {
  switch (provider) {
    case 'github':
      return [isFolder ? 'tree' : 'blob', commit];
    case 'gitlab':
      return ['-', isFolder ? 'tree' : 'blob', commit];
    case 'gitea':
      return ['src', 'commit', commit];
  }
}

/** The origin of a repository's web pages: a forge's hosts for ssh at port 443 have none. */
function toWebOrigin({ origin }: RepositoryLocation): string {
  if (origin === 'https://ssh.github.com') return 'https://github.com';
  if (origin === 'https://altssh.gitlab.com') return 'https://gitlab.com';
  return origin;
}
