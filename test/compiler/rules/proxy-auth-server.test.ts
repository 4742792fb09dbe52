/** An authorization server in front of a single MCP server may have one upstream, and its `oidcConfigRef.resourceUrl` must equal `audience`. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

const provider = (name: string) =>
  `{ name: ${name}, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }`;
const signIn = (...upstreams: string[]) =>
  object(
    'MCPExternalAuthConfig',
    `{ type: embeddedAuthServer, embeddedAuthServer: { issuer: https://a.example.com, upstreamProviders: [${upstreams.map(provider).join(', ')}] } }`,
    'signin',
  );
const server = (fields: string) => object('MCPServer', `{ image: x, ${fields} }`);
const own = 'oidcConfigRef: { name: o, audience: https://x.example.com, resourceUrl: https://x.example.com }';

test.each<[string, string[], string[]]>([
  [
    'one upstream and the resource URL as audience',
    [server(`authServerRef: { name: signin }, ${own}`), signIn('a')],
    [],
  ],
  [
    'several upstreams',
    [
      server(`authServerRef: { name: signin }, ${own}`),
      object(
        'MCPRemoteProxy',
        `{ remoteUrl: https://x.example.com, externalAuthConfigRef: { name: signin }, ${own} }`,
        'proxy',
      ),
      signIn('a', 'b'),
    ],
    [
      'LNT4022 error 4:42 the authorization server of MCPExternalAuthConfig "signin" has 2 upstreams, and in front of a single server it can have one',
      'LNT4022 error 9:74 the authorization server of MCPExternalAuthConfig "signin" has 2 upstreams, and in front of a single server it can have one',
    ],
  ],
  [
    'no oidcConfigRef, no resourceUrl, and another audience',
    [
      server('authServerRef: { name: signin }'),
      server('authServerRef: { name: signin }, oidcConfigRef: { name: o, audience: a }'),
      server(
        'authServerRef: { name: signin }, oidcConfigRef: { name: o, audience: a, resourceUrl: https://x.example.com }',
      ),
      signIn('a'),
    ],
    [
      'LNT1010 error 4:1 authServerRef issues tokens, and without oidcConfigRef callers need no token',
      'LNT1010 error 9:52 authServerRef issues tokens for the URL of this server, so oidcConfigRef.resourceUrl must be this URL',
      'LNT4003 error 14:88 audience "a" differs from resourceUrl "https://x.example.com", the only audience of the tokens that it issues',
    ],
  ],
  [
    'credentials that are no authorization server',
    [
      server('externalAuthConfigRef: { name: signin }'),
      object('MCPExternalAuthConfig', '{ type: unauthenticated }', 'signin'),
    ],
    [],
  ],
])('the rule proxyAuthServer gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('proxyAuthServer', ...objects)).toEqual(expected);
});
