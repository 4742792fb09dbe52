import { expect, test } from 'vitest';
import { judgeConfig } from '../../../support/registry-rule.ts';

const config = (auth: string, publicPaths = '[]', mode = 'oauth') => `sources:
  - { name: own, file: { path: /own.json }, claims: { org: example } }
  - { name: bare, file: { path: /bare.json } }
registries:
  - { name: staff, sources: [own, bare], claims: { org: example } }
  - { name: open, sources: [bare] }
auth:
  mode: ${mode}
  ${auth}
  oauth: { resourceUrl: https://r.example.com, publicPaths: ${publicPaths}, providers: [{ name: a, issuerUrl: x, audience: r }] }
`;

const SOURCE =
  'LNT8030 warning 5:35 no caller sees the entries of "bare" in "staff": the source has no claims, and there are no super admins';
const REGISTRY =
  'LNT8030 warning 6:13 no caller sees the registry "open": it has no claims, and there are no super admins';

test.each<[string, string, string[]]>([
  ['empty authz', config('authz: {}'), [SOURCE, REGISTRY]],
  [
    'a role that sees no registry',
    config('authz: { roles: { manageEntries: [{ role: editor }] } }'),
    [SOURCE, REGISTRY],
  ],
  ['a super admin rule that no caller meets', config('authz: { roles: { superAdmin: [{}] } }'), [SOURCE, REGISTRY]],
  ['a super admin rule', config('authz: { roles: { superAdmin: [{ role: admin }] } }'), []],
  ['a public registry', config('authz: {}', '[/registry/open/]'), [SOURCE]],
  ['a public path in the registry', config('authz: {}', '[/registry/open/v0.1/servers]'), [SOURCE]],
  ["a public path that is a prefix of the registry's name", config('authz: {}', '[/registry/op]'), [SOURCE, REGISTRY]],
  ['no authz', config('realm: x').replace('  realm: x\n', ''), []],
  ['an anonymous registry server', config('authz: {}', '[]', 'anonymous'), []],
])('the rule seenByNobody gives the expected findings for: %s', (_, text, expected) => {
  expect(judgeConfig('seenByNobody', text)).toEqual(expected);
});
