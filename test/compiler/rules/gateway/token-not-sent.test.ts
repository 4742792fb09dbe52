/** Proxies that validate tokens, behind gateways that send none. */
import { expect, test } from 'vitest';
import { judge, object } from '../../../support/gateway-rule.ts';
import { gateway } from '../../../support/rule.ts';

const guarded = object(
  'MCPRemoteProxy',
  '{ groupRef: { name: tools }, remoteUrl: "https://jira.example.com/mcp", oidcConfigRef: { name: corp, audience: jira } }',
  'jira',
);
const open = object('MCPServer', '{ groupRef: { name: tools }, image: github }', 'github');
const sending = (strategy: string) =>
  gateway(`incomingAuth: { type: anonymous }
  config: { outgoingAuth: { source: inline, default: ${strategy} } }`);
const header = (name: string) =>
  `{ type: header_injection, headerInjection: { headerName: ${name}, headerValueEnv: KEY } }`;

const MESSAGE =
  'MCPRemoteProxy "jira" requires a token from its callers, and VirtualMCPServer "it" sends no token: the server will answer its calls with 401';

test.each<[string, string, string[]]>([
  ['no credential', gateway('incomingAuth: { type: anonymous }'), [`LNT6016 warning 5:21 ${MESSAGE}`]],
  ['the strategy unauthenticated', sending('{ type: unauthenticated }'), [`LNT6016 warning 7:54 ${MESSAGE}`]],
  ['a header other than Authorization', sending(header('X-Key')), [`LNT6016 warning 7:54 ${MESSAGE}`]],
  [
    'an AWS signature',
    sending('{ type: aws_sts, awsSts: { region: us-east-1 } }'),
    [`LNT6016 warning 7:54 ${MESSAGE}`],
  ],
  ['a static Authorization header', sending(header('authorization')), []],
  ['an exchanged token', sending('{ type: token_exchange, tokenExchange: { tokenUrl: u } }'), []],
  ['an on-behalf-of token', sending('{ type: obo, obo: { tokenUrl: u } }'), []],
])('the rule tokenNotSent gives the expected findings for: %s', (_, eng, expected) => {
  expect(judge('tokenNotSent', [eng, guarded, open])).toEqual(expected);
});
