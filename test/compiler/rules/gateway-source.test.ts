import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const HTTPS = 'https://git.example.com/team/gateways.git';
const source = (url: string, ref = '{}') => object('GatewaySource', `\n  url: "${url}"\n  ref: ${ref}`);

test.each<[string, string, string[]]>([
  ['an https URL', source(HTTPS), []],
  ['an ssh URL', source('ssh://git@git.example.com:2222/team/gateways.git'), []],
  ['an ssh address as scp writes it', source('git@git.example.com:team/gateways.git'), []],
  [
    'an ssh URL without a user',
    source('ssh://git.example.com/team/gateways.git'),
    ['LNT1062 error 5:8 the repository names no user for ssh, such as ssh://git@git.example.com/team/gateways.git'],
  ],
  [
    'an ssh URL with a password',
    source('ssh://git:secret@git.example.com/team/gateways.git'),
    ['LNT1062 error 5:8 the repository contains a password; give a key in the Secret'],
  ],
  [
    'a URL with a query',
    source(`${HTTPS}?token=secret`),
    ['LNT1062 error 5:8 the repository has a query or a fragment, which no repository has'],
  ],
  ['a branch', source(HTTPS, '{ branch: release/1.x }'), []],
  [
    'a branch by its full ref name',
    source(HTTPS, '{ branch: refs/heads/main }'),
    ['LNT1063 error 6:18 branch "refs/heads/main" starts with refs/: give the name of the branch alone'],
  ],
  [
    'an invalid tag name',
    source(HTTPS, '{ tag: v1..2 }'),
    ['LNT1063 error 6:15 tag "v1..2" is not a name that git allows for a tag'],
  ],
  ...['>=1.2.0 <2.0.0', '1.x', '^1.2', '*'].map((range): [string, string, string[]] => [
    `the range ${range}`,
    source(HTTPS, `{ semver: "${range}" }`),
    [],
  ]),
  [
    'an invalid version range',
    source(HTTPS, '{ semver: "newest" }'),
    ['LNT1063 error 6:18 semver "newest" is not a range of versions, such as ">=1.2.0 <2.0.0"'],
  ],
  ['another kind', object('MCPGroup', '{}'), []],
])('the rule gatewaySource gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('gatewaySource', objects)).toEqual(expected);
});
