import { expect, test } from 'vitest';
import { entries, findings, judge, object } from '../../../support/gateway-rule.ts';
import { gateway, gatewayConfig } from '../../../support/rule.ts';

const EXCHANGE = '{ type: token_exchange, tokenExchange: { tokenUrl: "https://id.example.com/t", audience: a } }';
const AWS = '{ type: aws_sts, awsSts: { region: eu-west-1, fallbackRoleArn: "arn:aws:iam::123456789012:role/a" } }';
const OBO = '{ type: obo, obo: { tokenUrl: "https://id.example.com/t", audience: a } }';
const HEADER = '{ type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: KEY } }';
const XAA =
  '{ type: xaa, xaa: { idpTokenUrl: "https://id.example.com/t", targetTokenUrl: "https://b.example.com/t", targetAudience: b } }';

const open = (auth: string) => gatewayConfig(`{ outgoingAuth: { source: inline, default: ${auth} } }`);
const local = (auth: string) =>
  gateway(`config: { incomingAuth: { type: local }, outgoingAuth: { source: inline, default: ${auth} } }`);
const oidc = (auth: string) =>
  gateway(`incomingAuth: { type: oidc, oidcConfigRef: { name: corp, audience: mcp } }
  config: { outgoingAuth: { source: inline, default: ${auth} } }`);
const CORP = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://auth.example.com" } }', 'corp');
const NONE =
  'exchanges the token of the caller, and callers of VirtualMCPServer "it" have no token: every call will fail';

test.each<[string, string[], string[]]>([
  ['callers with tokens', [oidc(EXCHANGE), CORP, entries('jira')], []],
  ['a static header', [open(HEADER), entries('jira')], []],
  // Another finding reports the missing upstream of these.
  ['a cross-app exchange by an upstream token', [open(XAA), entries('jira')], []],
  ['a gateway without backends', [open(EXCHANGE)], []],
  [
    'a token exchange for two backends',
    [open(EXCHANGE), entries('github', 'jira')],
    [`LNT6019 error 7:54 token_exchange for "github" and "jira" ${NONE}`],
  ],
  ['AWS roles for anonymous callers', [open(AWS), entries('jira')], [`LNT6019 error 7:54 aws_sts for "jira" ${NONE}`]],
  [
    'on-behalf-of tokens for anonymous callers',
    [open(OBO), entries('jira')],
    [`LNT6019 error 7:54 obo for "jira" ${NONE}`],
  ],
  [
    'a token exchange for the local user',
    [local(EXCHANGE), entries('jira')],
    [`LNT6019 error 6:85 token_exchange for "jira" ${NONE}`],
  ],
])('the rule callersWithoutTokens gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('callersWithoutTokens', objects)).toEqual(expected);
});

test('for each workload with a token exchange, the rule callersWithoutTokens refers to the setting that admits anonymous callers', () => {
  const own = (name: string) =>
    object(
      'MCPServerEntry',
      `{ groupRef: { name: tools }, remoteUrl: "https://${name}.example.com", transport: sse, externalAuthConfigRef: { name: trade } }`,
      name,
    );
  const trade = object(
    'MCPExternalAuthConfig',
    '{ type: tokenExchange, tokenExchange: { tokenUrl: "https://id.example.com/t", audience: a } }',
    'trade',
  );
  const found = findings('callersWithoutTokens', [
    gateway('incomingAuth: { type: anonymous }'),
    own('a'),
    own('b'),
    trade,
  ]);
  expect(found.map(({ message, object: of }) => `${of?.name}: ${message}`)).toEqual([
    `a: token_exchange for "a" ${NONE}`,
    `b: token_exchange for "b" ${NONE}`,
  ]);
  expect(found[0]?.related?.map(({ message, range: { start } }) => `${start.line}:${start.column} ${message}`)).toEqual(
    ['6:25 anonymous callers have no token'],
  );
});
