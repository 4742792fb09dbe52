/** Which URLs a GatewaySource may have. */
import { describe, expect, test } from 'vitest';
import { findGitSourceProblem } from '#schemas';

describe('an address of a source', () => {
  test.each([
    'https://git.example.com/team/gateways.git',
    'https://git.example.com:8443/team/gateways',
    'HTTPS://git.example.com/x',
    'ssh://git@git.example.com/team/gateways.git',
    'ssh://git@git.example.com:2222/team/gateways.git',
    'ssh://git@[2001:db8::1]:2222/team/gateways.git',
    'ssh://git@git.example.com/~/gateways.git',
    'git@git.example.com:team/gateways.git',
    'org-123@github.com:team/gateways.git',
  ])('a GatewaySource accepts the address %s', url => expect(findGitSourceProblem(url)).toBeUndefined());

  test.each([
    '/srv/gateways.git',
    'file:///srv/gateways.git',
    'http://127.0.0.1:3000/x.git',
    'http://localhost/x',
    'http://[::1]/x',
  ])('a GatewaySource accepts the address %s only for a controller without a cluster', url => {
    expect(findGitSourceProblem(url, true)).toBeUndefined();
    expect(findGitSourceProblem(url)).toBeDefined();
  });
});

const NEITHER = 'is not an https or ssh URL';

describe.each([false, true])('what is none, with local ones allowed: %s', isLocalAllowed => {
  const neither = `${NEITHER}${isLocalAllowed ? ', a file URL or an absolute path' : ''}`;

  test.each<[url: string, problem: string]>([
    ['', neither],
    ['gateways.git', neither],
    ['./gateways.git', neither],
    ['git://git.example.com/x.git', neither],
    ['ftp://git.example.com/x.git', neither],
    ['git+ssh://git@git.example.com/x.git', neither],
    ['--upload-pack=touch%20x', neither],
    ['ext::sh', neither],
    ['ext::sh -c x', 'has a space, a backslash or a control character'],
    ['fd::17', neither],
    ['https::https://git.example.com/x', neither],
    ['https://git.example.com/x\n--upload-pack=y', 'has a space, a backslash or a control character'],
    ['https:\\\\git.example.com\\x', 'has a space, a backslash or a control character'],
    ['https://user:secret@git.example.com/x', 'contains credentials; use auth'],
    ['https://token@git.example.com/x', 'contains credentials; use auth'],
    ['https://git.example.com/x?token=secret', 'has a query or a fragment, which no repository has'],
    ['https://git.example.com/x#y', 'has a query or a fragment, which no repository has'],
    ['http://git.example.com/x', 'is read over http, which neither encrypts nor says who answers; use https or ssh'],
    [
      'http://127.0.0.1.example.com/x',
      'is read over http, which neither encrypts nor says who answers; use https or ssh',
    ],
    ['ssh://git:secret@git.example.com/x', 'contains a password; give a key in the Secret'],
    ['ssh://git.example.com/x', 'names no user for ssh, such as ssh://git@git.example.com/team/gateways.git'],
    ['ssh://git@-oProxyCommand=x/x', 'has a host name that is none for ssh'],
    ['ssh://-oProxyCommand=x@git.example.com/x', 'has a user name that is none for ssh'],
    ['ssh://git@git.example.com/-x', 'has a path that is none of a repository'],
    ['ssh://git@git.example.com', 'has a path that is none of a repository'],
    ["ssh://git@git.example.com/x';y", 'has a path that is none of a repository'],
    ['ssh://git@git.example.com/$(x)', 'has a path that is none of a repository'],
    ['ssh://git@git.example.com/x?y', 'has a query or a fragment, which no repository has'],
    ['git@-oProxyCommand=x:x', 'has a host name that is none for ssh'],
    ['-oProxyCommand=x@git.example.com:x', 'has a user name that is none for ssh'],
    ['git@git.example.com:-x', 'has a path that is none of a repository'],
    ['git@git.example.com::x', 'has a path that is none of a repository'],
    ['git@git.example.com:x;y', 'has a path that is none of a repository'],
  ])(`a GatewaySource does not accept the address %j (local addresses allowed: ${isLocalAllowed})`, (url, problem) =>
    expect(findGitSourceProblem(url, isLocalAllowed)).toBe(problem),
  );
});

test('a GatewaySource refuses a local address that names a host, and any local address where no local address is allowed', () => {
  expect(findGitSourceProblem('file://host/x', true)).toMatch(/names a host/);
  expect(findGitSourceProblem('//host/x', true)).toMatch(/is not an absolute path/);
  expect(findGitSourceProblem('file:///x')).toBe(NEITHER);
  expect(findGitSourceProblem('/x')).toBe(NEITHER);
});
