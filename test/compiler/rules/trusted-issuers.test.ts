import { expect, test } from 'vitest';
import { authServer } from '../../support/auth-server-spec.ts';
import { judge } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'different foreign issuers',
    [authServer('trustedIssuers: [{ issuerUrl: https://a.example.com }, { issuerUrl: https://b.example.com }]')],
    [],
  ],
  [
    'the own issuer, and an issuer twice',
    [
      authServer(
        'trustedIssuers: [{ issuerUrl: https://auth.example.com }, { issuerUrl: https://b.example.com }, { issuerUrl: https://b.example.com }]',
      ),
    ],
    [
      'LNT4014 error 9:35 "https://auth.example.com" is the issuer of this authorization server itself',
      'LNT4014 error 9:114 issuer "https://b.example.com" is listed twice',
    ],
  ],
  [
    'issuers over plain http',
    [
      authServer(
        'trustedIssuers: [{ issuerUrl: http://a.example.com }, { issuerUrl: https://b.example.com, jwksUrl: http://b.example.com/keys }, { issuerUrl: http://c.example.com, insecureAllowHTTP: true }, { issuerUrl: http://d.example.com, jwksUrl: https://d.example.com/keys }]',
      ),
    ],
    [
      'LNT4004 error 9:35 issuerUrl is plain http, so keys of the issuer could be replaced on the way, and connections to it are refused',
      'LNT4004 error 9:104 jwksUrl is plain http, so keys of the issuer could be replaced on the way, and connections to it are refused',
    ],
  ],
])('the rule trustedIssuers gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('trustedIssuers', ...objects)).toEqual(expected);
});
