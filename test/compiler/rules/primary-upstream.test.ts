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
    'a known upstream in authServerConfig, in the policies and in both',
    [
      gatewayWith('', server('primaryUpstreamProvider: okta')),
      gatewayWith('primaryUpstreamProvider: github', server('')),
      gatewayWith('primaryUpstreamProvider: okta', server('primaryUpstreamProvider: okta')),
    ],
    [],
  ],
  [
    'an unknown upstream in authServerConfig',
    [gatewayWith('', server('primaryUpstreamProvider: oktaa'))],
    ['LNT4011 error 10:30 no upstream is named "oktaa"'],
  ],
  [
    'an unknown upstream in the policies',
    [gatewayWith('primaryUpstreamProvider: google', server(''))],
    ['LNT4011 error 6:110 no upstream is named "google"'],
  ],
  [
    'different upstreams in authServerConfig and in the policies',
    [gatewayWith('primaryUpstreamProvider: google', server('primaryUpstreamProvider: okta'))],
    [
      'LNT1008 warning 6:85 primaryUpstreamProvider has no effect here: authServerConfig.primaryUpstreamProvider takes precedence',
    ],
  ],
  [
    'a primary upstream without an authorization server',
    [gatewayWith('primaryUpstreamProvider: okta', '')],
    ['LNT4011 error 6:110 there is no authServerConfig that could have an upstream "okta"'],
  ],
  [
    'no primary upstream among several upstreams',
    [gatewayWith('', server(''))],
    ['LNT4012 hint 9:5 policies read the claims of the first of 2 upstreams, "okta"'],
  ],
  [
    'policies in a ConfigMap with a primary upstream',
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
