/** `primaryUpstreamProvider` is ignored outside of VirtualMCPServer. */
import { expect, test } from 'vitest';
import { judge, object } from '../../support/rule.ts';

test.each<[string, string[], string[]]>([
  [
    'a primary upstream that nothing uses',
    [
      object(
        'MCPServer',
        '{ image: x, authzConfig: { type: inline, inline: { policies: [p], primaryUpstreamProvider: a } } }',
      ),
      object(
        'MCPExternalAuthConfig',
        '{ type: embeddedAuthServer, embeddedAuthServer: { issuer: https://a.example.com, primaryUpstreamProvider: o, upstreamProviders: [{ name: o, type: oidc, oidcConfig: { issuerUrl: https://o.example.com, clientId: c } }] } }',
      ),
    ],
    [
      'LNT1008 warning 4:73 primaryUpstreamProvider has no effect here: only a VirtualMCPServer chooses among upstreams',
      'LNT1008 warning 9:88 primaryUpstreamProvider has no effect here: only a VirtualMCPServer chooses among upstreams',
    ],
  ],
  [
    'no primary upstream',
    [
      object(
        'MCPRemoteProxy',
        '{ remoteUrl: https://x.example.com, authzConfig: { type: inline, inline: { policies: [p] } } }',
      ),
      object('MCPExternalAuthConfig', '{ type: unauthenticated }'),
    ],
    [],
  ],
])('the rule ignoredPrimaryUpstream gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('ignoredPrimaryUpstream', ...objects)).toEqual(expected);
});
