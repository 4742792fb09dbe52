import { expect, test } from 'vitest';
import { judgeConfig, sources } from '../../../support/registry-rule.ts';

const one = (fields: string) => sources(`  - { name: a, ${fields} }\n`);

test.each<[fields: string, expected: string[]]>([
  ['git: { repository: https://x.example.com/a.git, branch: team/main }', []],
  ['git: { repository: http://localhost:3000/a.git, tag: v1.0 }', []],
  ['git: { repository: /srv/git/a.git, path: a/b.json }', []],
  ['git: { repository: "file:///srv/git/a.git", commit: 0123456789abcdef0123456789abcdef01234567 }', []],
  [
    'git: { repository: /a, branch: a, commit: b }',
    [
      'LNT1021 error 2:58 set one of branch and commit',
      'LNT1014 error 2:58 commit is not a full commit id: 40 (or 64) hexadecimal digits in lower case',
    ],
  ],
  [
    'git: { repository: "https://u:hunter2@x.example.com/a.git" }',
    ['LNT6011 error 2:35 repository contains credentials; use auth'],
  ],
  [
    'git: { repository: "https://u@x.example.com/a.git" }',
    ['LNT6011 error 2:35 repository contains credentials; use auth'],
  ],
  [
    'git: { repository: "git@github.com:a/b.git", branch: main }',
    [
      'LNT6011 error 2:35 repository is read over ssh, for which no key can be given; use https, with auth where it is not public',
    ],
  ],
  ...['ext::sh', 'git://x.example.com/a', 'a/b.git', '"--upload-pack=x"'].map((repository): [string, string[]] => [
    `git: { repository: ${repository} }`,
    ['LNT6011 error 2:35 repository is not an https, http or file URL and not an absolute path'],
  ]),
  [
    'git: { repository: "file://x.example.com/a" }',
    ['LNT6011 error 2:35 repository names a host: a file URL is of this machine, such as file:///srv/git/catalog.git'],
  ],
  [
    'git: { repository: "https://x.example.com/a?b" }',
    ['LNT6011 error 2:35 repository has a query or a fragment, which no repository has'],
  ],
  [
    'git: { repository: http://x.example.com/a.git }',
    ['LNT8007 warning 2:35 repository is plain http, so entries can be changed on the way'],
  ],
  [
    'git: { repository: http://x.example.com/a.git, auth: { username: u, passwordFile: /p } }',
    ['LNT8007 error 2:35 repository is plain http, so the password can be read on the way'],
  ],
  [
    'git: { repository: https://x.example.com/a.git, auth: { username: "a:b", passwordFile: /p } }',
    ['LNT1014 error 2:82 username has a colon or a control character, which basic authentication cannot carry'],
  ],
  [
    'git: { repository: /a, branch: "-x" }',
    ['LNT1014 error 2:47 branch starts with a hyphen, as an option of git does'],
  ],
  [
    'git: { repository: /a, branch: refs/heads/x }',
    ['LNT1014 error 2:47 branch starts with refs/: give the name of the branch alone'],
  ],
  ...['a..b', 'a b', 'a:b', 'a/', '.a', 'a.lock', 'a@{1}', '*'].map((tag): [string, string[]] => [
    `git: { repository: /a, tag: "${tag}" }`,
    ['LNT1014 error 2:44 tag is not a name that git allows for a tag'],
  ]),
  ...['/a', 'a/', 'a//b', '../a', './a'].map((path): [string, string[]] => [
    `git: { repository: /a, path: ${path} }`,
    ['LNT1014 error 2:45 path is not a path from the root of the repository to a file, such as catalog/servers.json'],
  ]),
  ['api: { endpoint: https://x.example.com, auth: { tokenFile: /t } }', []],
  ['api: { endpoint: http://localhost:8080, auth: { username: u, passwordFile: /p } }', []],
  ['file: { url: https://x.example.com/a.json, auth: { tokenFile: /t } }', []],
  [
    'api: { endpoint: http://x.example.com, auth: { tokenFile: /t } }',
    ['LNT8007 error 2:33 endpoint is plain http, so the credentials can be read on the way'],
  ],
  [
    'file: { url: http://x.example.com/a.json, auth: { tokenFile: /t } }',
    ['LNT8007 error 2:29 url is plain http, so the credentials can be read on the way'],
  ],
  [
    'api: { endpoint: https://x.example.com, auth: {} }',
    ['LNT1010 error 2:62 auth needs tokenFile, or username and passwordFile'],
  ],
  [
    'api: { endpoint: https://x.example.com, auth: { username: u } }',
    ['LNT1010 error 2:74 username is set, and passwordFile is missing'],
  ],
  [
    'file: { url: https://x.example.com/a.json, auth: { passwordFile: /p } }',
    ['LNT1010 error 2:81 passwordFile is set, and username is missing'],
  ],
  [
    'api: { endpoint: https://x.example.com, auth: { username: u, passwordFile: /p, tokenFile: /t } }',
    ['LNT1021 error 2:74 set tokenFile or username: a request has one credential'],
  ],
  [
    'api: { endpoint: https://x.example.com, auth: { username: "a:b", passwordFile: /p } }',
    ['LNT1014 error 2:74 username has a colon or a control character, which basic authentication cannot carry'],
  ],
  ['file: {}', ['LNT1010 error 2:22 a file needs path or url']],
  ['file: { path: x, url: https://x.example.com }', ['LNT1021 error 2:38 set one of path and url']],
  ['file: { url: x.json }', ['LNT6011 error 2:29 url is not a complete http or https URL']],
  [
    'file: { url: http://x.example.com/a.json }',
    ['LNT8007 warning 2:29 url is plain http, so entries can be changed on the way'],
  ],
  ['file: { url: http://localhost/a.json, timeout: 5m }', []],
  [
    'api: { endpoint: https://x.example.com/v0.1/ }',
    ['LNT6011 error 2:33 endpoint ends with the version of the API, which the server adds itself'],
  ],
  [
    'api: { endpoint: https://x.example.com, timeout: 0s }',
    ['LNT1013 error 2:65 expected a duration longer than zero, found "0s"'],
  ],
  [
    'api: { endpoint: https://x.example.com, timeout: 5m1s }',
    ['LNT1013 error 2:65 expected a duration of at most 5m, found "5m1s"'],
  ],
  [
    'file: { path: x }, syncPolicy: { interval: 0s }',
    ['LNT1013 error 2:59 expected a duration of at least 1s, found "0s"'],
  ],
  [
    'file: { path: x }, syncPolicy: { interval: 999ms }',
    ['LNT1013 error 2:59 expected a duration of at least 1s, found "999ms"'],
  ],
  ['file: { path: /x }, syncPolicy: { interval: 1s }', []],
  [
    'file: { path: x }, syncPolicy: { interval: 1000h }',
    ['LNT1013 error 2:59 expected a duration of at most 24 days, found "1000h"'],
  ],
])('the rule sourceOrigins gives the expected findings for: %s', (fields, expected) => {
  expect(judgeConfig('sourceOrigins', one(fields))).toEqual(expected);
});
