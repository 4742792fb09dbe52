/** A path in `identityFromToken` or `tokenResponseMapping` that cannot be parsed is an error. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const upstream = (block: string) =>
  object(
    'MCPExternalAuthConfig',
    `
  type: embeddedAuthServer
  embeddedAuthServer:
    issuer: https://a.example.com
    upstreamProviders:
      - name: o
        type: oauth2
        oauth2Config: { clientId: c, authorizationEndpoint: https://o.example.com/a, tokenEndpoint: https://o.example.com/t, ${block} }`,
  );
const subject = (path: string) => upstream(`identityFromToken: { subjectPath: '${path}' }`);

test.each<[string, string[], string[]]>([
  [
    'valid paths with names, item numbers, escapes and tokens',
    [
      subject('authed_user.id'),
      subject('users.0.id'),
      subject('a\\.b|c'),
      subject('id_token|@upstreamjwt|sub'),
      upstream(
        "identityFromToken: { subjectPath: sub, namePath: a.b }, tokenResponseMapping: { accessTokenPath: a.token, scopePath: '' }",
      ),
    ],
    [],
  ],
  [
    'invalid paths',
    [
      subject('a..b'),
      subject('.a'),
      subject('a.'),
      subject('a\\'),
      subject('a[0]'),
      subject('#.id'),
      subject('a.*'),
      subject('@upstreamjwt|sub'),
    ],
    [
      'LNT4019 error 11:160 subjectPath is not a path: a name is missing between two dots, or at an end',
      'LNT4019 error 23:160 subjectPath is not a path: a name is missing between two dots, or at an end',
      'LNT4019 error 35:160 subjectPath is not a path: a name is missing between two dots, or at an end',
      'LNT4019 error 47:160 subjectPath is not a path: it ends in a backslash',
      'LNT4019 error 59:160 subjectPath is not a path: a step is a name or the number of an item, such as users.0.id',
      'LNT4019 error 71:160 subjectPath is not a path: a step is a name or the number of an item, such as users.0.id',
      'LNT4019 error 83:160 subjectPath is not a path: a step is a name or the number of an item, such as users.0.id',
      'LNT4019 error 95:160 subjectPath is not a path: @upstreamjwt needs a token before it, such as id_token|@upstreamjwt|sub',
    ],
  ],
  [
    'modifiers in paths',
    [subject('a|@reverse'), upstream("tokenResponseMapping: { accessTokenPath: 'id_token|@upstreamjwt|x' }")],
    [
      'LNT4019 error 11:160 subjectPath is not a path: the only modifier is @upstreamjwt',
      'LNT4019 error 23:167 accessTokenPath is not a path: modifiers are not possible here',
    ],
  ],
])('the rule invalidIdentityPath gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('invalidIdentityPath', ...objects)).toEqual(expected);
});
