/** An upstream with neither `userInfo` nor `identityFromToken` is a finding: the gateway makes up an identity for each sign-in. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const server = (...upstreams: string[]) =>
  object(
    'MCPExternalAuthConfig',
    `{ type: embeddedAuthServer, embeddedAuthServer: { issuer: https://a.example.com, upstreamProviders: [${upstreams.join(', ')}] } }`,
  );
const oauth2 = (name: string, more = '') =>
  `{ name: ${name}, type: oauth2, oauth2Config: { clientId: c, authorizationEndpoint: https://o.example.com/a, tokenEndpoint: https://o.example.com/t${more} } }`;
const oidc = '{ name: o, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }';

test.each<[string, string[], string[]]>([
  [
    'upstreams that identify the caller, and further upstreams',
    [
      server(oidc, oauth2('b')),
      server(oauth2('a', ', userInfo: { endpointUrl: https://o.example.com/u }')),
      server(oauth2('a', ', identityFromToken: { subjectPath: sub }')),
    ],
    [],
  ],
  [
    'a first upstream that does not identify the caller',
    [server(oauth2('a'), oidc)],
    [
      'LNT4023 hint 4:133 upstream "a" does not say who signs in: callers have no name, and each token has another subject',
    ],
  ],
])('the rule syntheticIdentity gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('syntheticIdentity', ...objects)).toEqual(expected);
});
