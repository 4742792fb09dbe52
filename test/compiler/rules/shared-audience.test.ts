import { expect, test } from 'vitest';
import { gateway, judge, object } from '../../support/rule.ts';

const server = (name: string, audience: string, config = 'corp') =>
  gateway(`incomingAuth: { type: oidc, oidcConfigRef: { name: ${config}, audience: ${audience} } }`, name);
const oidc = (name: string, issuer: string) =>
  object('MCPOIDCConfig', `{ type: inline, inline: { issuer: ${issuer} } }`, name);

test.each<[string, string[], string[]]>([
  ['different audiences', [server('a', 'x'), server('b', 'y')], []],
  [
    'one audience of different issuers',
    [
      server('a', 'x', 'one'),
      server('b', 'x', 'two'),
      oidc('one', 'https://a.example.com'),
      oidc('two', 'https://b.example.com'),
    ],
    [],
  ],
  [
    'one audience of the same MCPOIDCConfig outside of the sources',
    [server('a', 'x'), server('b', 'x')],
    [
      'LNT4007 warning 13:70 VirtualMCPServer "a" has the same audience and issuer, so each of the two accepts the tokens for the other',
    ],
  ],
  [
    'one audience of two MCPOIDCConfigs with one issuer',
    [
      server('a', 'x', 'one'),
      server('b', 'x', 'two'),
      oidc('one', 'https://a.example.com'),
      oidc('two', 'https://a.example.com'),
    ],
    [
      'LNT4007 warning 13:69 VirtualMCPServer "a" has the same audience and issuer, so each of the two accepts the tokens for the other',
    ],
  ],
  [
    'one audience for a gateway and an MCPServer',
    [object('MCPServer', '{ image: i, oidcConfigRef: { name: corp, audience: x } }', 'p'), server('a', 'x')],
    [
      'LNT4007 warning 4:58 VirtualMCPServer "a" has the same audience and issuer, so each of the two accepts the tokens for the other',
    ],
  ],
])('the rule sharedAudience gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('sharedAudience', ...objects)).toEqual(expected);
});
