import { expect, test } from 'vitest';
import { judgeConfig, oauth } from '../../../support/registry-rule.ts';

const config = (paths: string, more = '') =>
  oauth(`publicPaths: [${paths}]\n    providers: [{ name: a, issuerUrl: https://a.example.com, audience: r }]`).replace(
    '    sources: [catalog]\n',
    `    sources: [catalog]\n${more}`,
  );

const nothing = (path: string, why = '') => `LNT8012 warning 11:19 "${path}" leads to nothing that is served${why}`;
const ambiguous = (path: string, why: string) => `LNT8011 error 11:19 ${JSON.stringify(path)} ${why}`;

test.each<[path: string, expected: string[]]>([
  ['/registry/main', []],
  ['/registry/main/', []],
  ['//registry//main', []],
  ['/registry/main/v0.1', []],
  ['/registry/main/v0.1/servers', []],
  ['/registry/main/v0', []],
  // Covers more than it names.
  ['/', ['LNT8001 error 11:19 "/" opens everything']],
  ['//', ['LNT8001 error 11:19 "//" opens everything']],
  ['/registry', ['LNT8001 error 11:19 "/registry" opens every registry, and those that are added later']],
  ['/registry/', ['LNT8001 error 11:19 "/registry/" opens every registry, and those that are added later']],
  ['/v1', ['LNT8001 error 11:19 "/v1" is in /v1, where servers of this configuration change state']],
  ['/v1/sources', ['LNT8001 error 11:19 "/v1/sources" is in /v1, where servers of this configuration change state']],
  // Covers no path that clients request.
  ['/v10', [nothing('/v10')]],
  ['/docs', [nothing('/docs')]],
  ['/Registry/main', [nothing('/Registry/main')]],
  ['/registry/mian', [nothing('/registry/mian', ': no registry is named "mian"')]],
  ['/registry/main/v0.2', [nothing('/registry/main/v0.2')]],
  ['/registry/main/v0.1/servers/a/versions/1/x', [nothing('/registry/main/v0.1/servers/a/versions/1/x')]],
  ['/openapi.json', ['LNT8012 warning 11:19 "/openapi.json" is public already, by "/openapi.json"']],
  ['/openapi.yaml', ['LNT8012 warning 11:19 "/openapi.yaml" is public already, by "/openapi.yaml"']],
  ['/.well-known/x', ['LNT8012 warning 11:19 "/.well-known/x" is public already, by "/.well-known"']],
  ['/health', ['LNT8012 warning 11:19 "/health" is answered at the internal address, which asks for no token']],
  ['/metrics', ['LNT8012 warning 11:19 "/metrics" is answered at the internal address, which asks for no token']],
  // Servers may read it in more than one way.
  ['/docs/../v1', [ambiguous('/docs/../v1', 'has a segment "." or ".."')]],
  ['/./registry', [ambiguous('/./registry', 'has a segment "." or ".."')]],
  ['/docs/%2e%2e/v1', [ambiguous('/docs/%2e%2e/v1', 'is written in percent-encoding')]],
  ['/registry%2Fmain', [ambiguous('/registry%2Fmain', 'is written in percent-encoding')]],
  ['/registry/*', [ambiguous('/registry/*', 'has a "*": there are no patterns')]],
  ['/registry/main?x', [ambiguous('/registry/main?x', 'has a query or a fragment, which are no part of a path')]],
  [
    '/registry/main;x',
    [ambiguous('/registry/main;x', 'has a character that some servers take for the end of a segment')],
  ],
  ['/registry/main x', [ambiguous('/registry/main x', 'has white space or a control character')]],
  [
    '/registry/main/v0.1/servers/a',
    [ambiguous('/registry/main/v0.1/servers/a', 'opens a part of what one route answers')],
  ],
])('the rule publicPaths gives the expected findings for: %s', (path, expected) => {
  expect(judgeConfig('publicPaths', config(JSON.stringify(path)))).toEqual(expected);
});

test('a public path below another public path gives LNT8012', () => {
  expect(judgeConfig('publicPaths', config('/registry/main, /registry/main/v0.1'))).toEqual([
    'LNT8012 warning 11:35 "/registry/main/v0.1" is public already, by "/registry/main"',
  ]);
});

test('a public path to a registry with claims gives LNT8001', () => {
  const claims = '    claims: { team: platform }\n';
  expect(judgeConfig('publicPaths', config('/registry/main', claims))).toEqual([
    'LNT8001 error 12:19 "/registry/main" opens the registry "main" to callers without its claims',
  ]);
  const inherited = config('/registry/main').replace('{ path: servers.json }\n', `{ path: servers.json }\n${claims}`);
  expect(judgeConfig('publicPaths', inherited)).toEqual([
    'LNT8001 error 12:19 "/registry/main" opens the registry "main" to callers without the claims of its source "catalog"',
  ]);
});
