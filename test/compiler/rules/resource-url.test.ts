import { expect, test } from 'vitest';
import { gateway, judge } from '../../support/rule.ts';

const referring = (url: string) =>
  gateway(`incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp, resourceUrl: ${url} } }`);
const written = (url: string) =>
  gateway(
    `config: { incomingAuth: { type: oidc, oidc: { issuer: https://id.example.com, audience: mcp, clientId: gw, resource: ${url} } } }`,
  );

test.each<[string, string[], string[]]>([
  [
    'valid resource URLs, and no resource URL',
    [
      referring('https://mcp.example.com/eng'),
      referring('http://vmcp-it.tools.svc.cluster.local:4483'),
      referring("''"),
      written('https://mcp.example.com'),
      gateway('incomingAuth: { type: anonymous }'),
    ],
    [],
  ],
  [
    'invalid resource URLs',
    [
      referring('mcp.example.com'),
      referring('ftp://mcp.example.com'),
      referring('https://joe:pass@mcp.example.com'),
      referring("'https://mcp.example.com/#tools'"),
      written('urn:example:mcp'),
    ],
    [
      'LNT6011 error 6:88 resourceUrl is not a complete URL',
      'LNT6011 error 13:88 resourceUrl is not http or https',
      'LNT6011 error 20:88 resourceUrl contains credentials, which everyone who reads this file could use',
      'LNT6011 error 27:88 resourceUrl has a fragment',
      'LNT6011 error 34:120 resource is not a complete URL',
    ],
  ],
])('the rule resourceUrl gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('resourceUrl', ...objects)).toEqual(expected);
});
