import { expect, test } from 'vitest';
import { gateway, judge } from '../../support/rule.ts';

const gatewayWith = (inline: string, server: string) =>
  gateway(`incomingAuth: { type: oidc, authzConfig: { type: inline, inline: { policies: [p], ${inline} } } }
  ${server}`);
const server = (fields: string) => `authServerConfig:
    issuer: https://auth.example.com
    upstreamProviders: [{ name: okta, type: oidc }, { name: github, type: oauth2 }]
    ${fields}`;

test.each<[string, string[], string[]]>([
  [
    'named in the new place, in the old one, and in both alike',
    [
      gatewayWith('', server('primaryUpstreamProvider: okta')),
      gatewayWith('primaryUpstreamProvider: github', server('')),
      gatewayWith('primaryUpstreamProvider: okta', server('primaryUpstreamProvider: okta')),
    ],
    [],
  ],
  [
    'unknown in the new place',
    [gatewayWith('', server('primaryUpstreamProvider: oktaa'))],
    ['LNT4011 error 10:30 no upstream is named "oktaa"'],
  ],
  [
    'unknown in the old place',
    [gatewayWith('primaryUpstreamProvider: google', server(''))],
    ['LNT4011 error 6:110 no upstream is named "google"'],
  ],
  [
    'the new place wins',
    [gatewayWith('primaryUpstreamProvider: google', server('primaryUpstreamProvider: okta'))],
    [
      'LNT1008 warning 6:85 primaryUpstreamProvider has no effect here: authServerConfig.primaryUpstreamProvider takes precedence',
    ],
  ],
  [
    'no authorization server',
    [gatewayWith('primaryUpstreamProvider: okta', '')],
    ['LNT4011 error 6:110 there is no authServerConfig that could have an upstream "okta"'],
  ],
  [
    'none named of several',
    [gatewayWith('', server(''))],
    ['LNT4012 hint 9:5 policies read the claims of the first of 2 upstreams, "okta"'],
  ],
  [
    'policies in a ConfigMap do not use the old place',
    [
      gateway(
        `incomingAuth: { type: oidc, authzConfig: { type: configMap, inline: { policies: [p], primaryUpstreamProvider: google } } }`,
      ),
    ],
    [],
  ],
])('the rule primaryUpstream gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('primaryUpstream', ...objects)).toEqual(expected);
});
