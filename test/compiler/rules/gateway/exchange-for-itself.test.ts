import { expect, test } from 'vitest';
import { entries, judge, object } from '../../../support/gateway-rule.ts';
import { gateway } from '../../../support/rule.ts';

const incoming = 'incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }';
const written = (audience: string) =>
  gateway(`${incoming}
  config: { outgoingAuth: { source: inline, default: { type: token_exchange, tokenExchange: { tokenUrl: u, audience: ${audience} } } } }`);
const corp = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://auth.example.com" } }', 'corp');
const named = gateway(`${incoming}
  outgoingAuth: { default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: it } } }`);
const exchange = (audience: string) =>
  object(
    'MCPExternalAuthConfig',
    `{ type: tokenExchange, tokenExchange: { tokenUrl: u, audience: ${audience} } }`,
    'it',
  );
const own = (name: string) =>
  object(
    'MCPServerEntry',
    `{ groupRef: { name: tools }, remoteUrl: "https://${name}.example.com", transport: sse, externalAuthConfigRef: { name: it } }`,
    name,
  );

test.each<[string, string[], string[]]>([
  ['another audience than that of the gateway', [written('github'), named, exchange('github'), entries('jira')], []],
  ['a gateway without backends', [written('mcp')], []],
  [
    'the audience of the gateway in spec.config',
    [written('mcp'), entries('jira', 'github')],
    [
      'LNT6005 warning 7:54 the token for "github" and "jira" has the audience of the gateway itself, "mcp", so a backend could use it to call the gateway',
    ],
  ],
  [
    'the audience of the gateway in an MCPExternalAuthConfig',
    [named, exchange('mcp'), entries('jira')],
    [
      'LNT6005 warning 7:90 the token for "jira" has the audience of the gateway itself, "mcp", so a backend could use it to call the gateway',
    ],
  ],
  [
    'the audience of the gateway in a reference of a workload',
    [gateway(incoming), exchange('mcp'), own('wiki'), own('docs')],
    [
      'LNT6005 warning 21:122 the token for "docs" has the audience of the gateway itself, "mcp", so a backend could use it to call the gateway',
      'LNT6005 warning 16:122 the token for "wiki" has the audience of the gateway itself, "mcp", so a backend could use it to call the gateway',
    ],
  ],
  [
    'the audience of incoming authentication in spec.config',
    [
      gateway(`config:
    incomingAuth: { type: oidc, oidc: { issuer: "https://auth.example.com", clientId: c, audience: mcp } }
    outgoingAuth: { source: inline, default: { type: token_exchange, tokenExchange: { tokenUrl: u, audience: mcp } } }`),
      entries('jira'),
    ],
    [
      'LNT6005 warning 8:46 the token for "jira" has the audience of the gateway itself, "mcp", so a backend could use it to call the gateway',
    ],
  ],
])('the rule exchangeForItself gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('exchangeForItself', [...objects, corp])).toEqual(expected);
});
