import { expect, test } from 'vitest';
import { authServer, gatewayWithAuthServer } from '../../support/auth-server-spec.ts';
import { judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'default lifespans and lifespans at the limits',
    [
      gatewayWithAuthServer('tokenLifespans: {}'),
      authServer('tokenLifespans: { accessTokenLifespan: 24h, refreshTokenLifespan: 720h, authCodeLifespan: 30s }'),
    ],
    [],
  ],
  [
    'lifespans that are too short',
    [
      gatewayWithAuthServer(
        'tokenLifespans: { accessTokenLifespan: 59s, refreshTokenLifespan: 59m, authCodeLifespan: 29s }',
      ),
    ],
    [
      'LNT1013 error 10:44 expected a duration from 1m to 24h, found "59s"',
      'LNT1013 error 10:71 expected a duration from 1h to 720h, found "59m"',
      'LNT1013 error 10:94 expected a duration from 30s to 10m, found "29s"',
    ],
  ],
  [
    'lifespans that are too long',
    [authServer('tokenLifespans: { accessTokenLifespan: 25h, refreshTokenLifespan: 721h, authCodeLifespan: 11m }')],
    [
      'LNT1013 error 9:44 expected a duration from 1m to 24h, found "25h"',
      'LNT1013 error 9:71 expected a duration from 1h to 720h, found "721h"',
      'LNT1013 error 9:95 expected a duration from 30s to 10m, found "11m"',
    ],
  ],
  [
    'a refresh token that expires before the access token',
    [gatewayWithAuthServer('tokenLifespans: { accessTokenLifespan: 2h, refreshTokenLifespan: 2h }')],
    ['LNT1022 warning 10:70 the refresh token (2h) does not outlive the access token (2h) that it renews'],
  ],
])('the rule tokenLifespans gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('tokenLifespans', ...objects)).toEqual(expected);
});
