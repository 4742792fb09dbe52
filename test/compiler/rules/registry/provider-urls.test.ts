import { expect, test } from 'vitest';
import { judgeConfig, provider, VIEWS } from '../../../support/registry-rule.ts';

test.each<[fields: string, expected: string[]]>([
  ['issuerUrl: "https://a.example.com/realms/x/", audience: r', []],
  ['issuerUrl: "http://localhost:8080", audience: r', []],
  ['issuerUrl: "http://127.0.0.1:8080", audience: r', []],
  ['issuerUrl: "http://[::1]:8080", audience: r', []],
  ['issuerUrl: http://a.example.com, audience: r', ['LNT8007 error 12:34 issuerUrl is plain http']],
  ['issuerUrl: http://localhost.example.com, audience: r', ['LNT8007 error 12:34 issuerUrl is plain http']],
  ['audience: r, issuerUrl: "http://localhost:8080", introspectionUrl: "http://localhost:8080/tokens"', []],
  [
    'audience: r, issuerUrl: "https://a.example.com", introspectionUrl: "http://localhost:8080/tokens"',
    [
      'LNT8007 error 12:90 introspectionUrl is plain http, and issuerUrl is https: the server then refuses plain http for this provider',
    ],
  ],
  [
    'audience: r, issuerUrl: "https://a.example.com", jwksUrl: "http://[::1]/keys", introspectionUrl: "https://a.example.com/t"',
    [
      'LNT8007 error 12:81 jwksUrl is plain http, and introspectionUrl is https: the server then refuses plain http for this provider',
    ],
  ],
  ['issuerUrl: a.example.com, audience: r', ['LNT6011 error 12:34 issuerUrl is not a complete http or https URL']],
  [
    'issuerUrl: "ftp://a.example.com", audience: r',
    ['LNT6011 error 12:34 issuerUrl is not a complete http or https URL'],
  ],
  [
    'issuerUrl: " https://a.example.com", audience: r',
    ['LNT6011 error 12:34 issuerUrl is not a complete http or https URL'],
  ],
  [
    'issuerUrl: "https://a.example.com?x=1", audience: r',
    ['LNT6011 error 12:34 issuerUrl has a query or a fragment, which no issuer has'],
  ],
  [
    'issuerUrl: "https://u:hunter2@a.example.com", audience: r',
    ['LNT6011 error 12:34 issuerUrl contains credentials, which everyone who reads this file could use'],
  ],
  [
    'audience: r, issuerUrl: "https://a.example.com", jwksUrl: "http://a.example.com/keys", introspectionUrl: tokens',
    [
      'LNT8007 error 12:81 jwksUrl is plain http',
      'LNT6011 error 12:128 introspectionUrl is not a complete http or https URL',
    ],
  ],
])('the rule providerUrls gives the expected findings for: %s', (fields, expected) => {
  expect(judgeConfig('providerUrls', provider(fields))).toEqual(expected);
});

test('the rule providerUrls checks no provider in anonymous mode', () => {
  const unused = 'oauth: { resourceUrl: x, providers: [{ name: a, issuerUrl: x, audience: r }] }';
  expect(judgeConfig('providerUrls', `${VIEWS}auth: { mode: anonymous, ${unused} }\n`)).toEqual([]);
});
