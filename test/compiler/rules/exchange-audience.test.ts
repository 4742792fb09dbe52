import { expect, test } from 'vitest';
import { exchangeAudience } from '../../../compiler/rules/exchange-audience.ts';
import { gateway, judge, object } from '../../support/rule.ts';

const incoming = 'incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }';
const written = (audience: string) =>
  gateway(`${incoming}
  config: { outgoingAuth: { source: inline, default: { type: token_exchange, tokenExchange: { tokenUrl: u, audience: ${audience} } } } }`);
const named = gateway(`${incoming}
  outgoingAuth: { default: { type: externalAuthConfigRef, externalAuthConfigRef: { name: it } } }`);
const exchange = (audience: string) =>
  object('MCPExternalAuthConfig', `{ type: tokenExchange, tokenExchange: { tokenUrl: u, audience: ${audience} } }`);

test.each<[string, string[], string[]]>([
  ['another audience', [written('github'), named, exchange('github')], []],
  [
    'the same, written out',
    [written('mcp')],
    [
      'LNT6005 warning 7:118 the token for the backend has the audience of the gateway itself, "mcp", so the backend could use it here',
    ],
  ],
  [
    'the same, by reference',
    [named, exchange('mcp')],
    [
      'LNT6005 warning 7:90 the token for the backend has the audience of the gateway itself, "mcp", so the backend could use it here',
    ],
  ],
])('%s', (_, objects, expected) => {
  expect(judge(exchangeAudience, ...objects)).toEqual(expected);
});
