import { expect, test } from 'vitest';
import { getApiRoot, parseRepositoryLocation } from '../../../controller/forge/repository-location.ts';

test.each([
  ['https://github.com/team/gateways', 'https://github.com', 'team/gateways'],
  ['https://github.com/team/gateways.git', 'https://github.com', 'team/gateways'],
  ['https://github.com/team/gateways.git/', 'https://github.com', 'team/gateways'],
  ['https://git.example.com:8443/team/gateways.git', 'https://git.example.com:8443', 'team/gateways'],
  ['https://gitlab.com/org/platform/mcp/gateways.git', 'https://gitlab.com', 'org/platform/mcp/gateways'],
  ['https://git.example.com/team/a%20b.git', 'https://git.example.com', 'team/a b'],
  ['git@github.com:team/gateways.git', 'https://github.com', 'team/gateways'],
  ['git@gitlab.example.com:org/platform/gateways', 'https://gitlab.example.com', 'org/platform/gateways'],
  ['deploy-key@git.example.com:team/gateways.git', 'https://git.example.com', 'team/gateways'],
  ['git@git.example.com:/team/gateways.git', 'https://git.example.com', 'team/gateways'],
  ['ssh://git@github.com/team/gateways.git', 'https://github.com', 'team/gateways'],
  ['ssh://git@git.example.com:2222/team/gateways.git', 'https://git.example.com', 'team/gateways'],
  ['ssh://git@[2001:db8::1]:2222/team/gateways.git', 'https://[2001:db8::1]', 'team/gateways'],
])('the controller reads owner and name of the forge repository from %s', (url, origin, path) => {
  const { owner, name, ...location } = parseRepositoryLocation(url);
  expect([location.origin, [...owner, name].join('/')]).toEqual([origin, path]);
});

test.each([
  'https://github.com',
  'https://github.com/gateways.git',
  'https://github.com/team/.git',
  'https://github.com/team/%2e%2e',
  'https://github.com/a%2Fb/c',
  'git@github.com:gateways.git',
  'file:///srv/git/team/gateways.git',
  'not a URL',
])('the controller refuses %s as the repository of a commit status', url => {
  expect(() => parseRepositoryLocation(url)).toThrow('names no owner and repository');
});

test.each([
  ['github', 'https://github.com/a/b', undefined, 'https://api.github.com'],
  ['github', 'ssh://git@ssh.github.com:443/a/b.git', undefined, 'https://api.github.com'],
  ['github', 'https://ghe.example.com/a/b', undefined, 'https://ghe.example.com/api/v3'],
  ['github', 'git@acme.ghe.com:a/b', undefined, 'https://api.acme.ghe.com'],
  ['gitlab', 'git@gitlab.com:a/b/c.git', undefined, 'https://gitlab.com/api/v4'],
  ['gitlab', 'ssh://git@altssh.gitlab.com:443/a/b.git', undefined, 'https://gitlab.com/api/v4'],
  ['gitlab', 'https://gitlab.example.com:8443/a/b', undefined, 'https://gitlab.example.com:8443/api/v4'],
  ['gitea', 'https://codeberg.org/a/b', undefined, 'https://codeberg.org/api/v1'],
  ['gitea', 'git@internal:a/b', 'https://git.example.com/gitea/api/v1/', 'https://git.example.com/gitea/api/v1'],
] as const)(
  'the controller finds the API address of %s for the repository %s (apiUrl: %s)',
  (provider, url, apiUrl, root) => {
    expect(getApiRoot(provider, parseRepositoryLocation(url), apiUrl)).toBe(root);
  },
);

test.each(['https://user:secret@git.example.com/api', 'https://git.example.com/api?token=secret', 'ftp://x', 'secret'])(
  'the controller refuses %s as commitStatus.apiUrl and does not repeat it in the error',
  apiUrl => {
    const attempt = () => getApiRoot('gitea', parseRepositoryLocation('https://codeberg.org/a/b'), apiUrl);
    expect(attempt).toThrow('commitStatus.apiUrl must be a URL without user, query and fragment');
    expect(attempt).not.toThrow('secret');
  },
);
