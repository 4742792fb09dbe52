import { expect, test } from 'vitest';
import { entries, judge, object } from '../../../support/gateway-rule.ts';
import { gateway } from '../../../support/rule.ts';

const sending = (strategies: string) =>
  gateway(`incomingAuth: { type: anonymous }
  config: { outgoingAuth: { source: inline, ${strategies} } }`);
const header = (env: string) =>
  `{ type: header_injection, headerInjection: { headerName: X-Key, headerValueEnv: ${env} } }`;
const exchange = (host: string) =>
  `{ type: token_exchange, tokenExchange: { tokenUrl: "https://${host}/token", clientId: gw, clientSecretEnv: STS } }`;
const both = (github: string, jira: string) => sending(`backends: { github: ${github}, jira: ${jira} }`);
const GROUP = entries('github', 'jira');
const forwarding = (name: string) =>
  object(
    'MCPServerEntry',
    `{ groupRef: { name: tools }, remoteUrl: "https://${name}.example.com", transport: sse, headerForward: { addHeadersFromSecret: [{ headerName: X-Key, valueSecretRef: { name: keys, key: all } }] } }`,
    name,
  );

test.each<[string, string[], string[]]>([
  ['different secrets for two backends', [both(header('A'), header('B')), GROUP], []],
  ['one client at one token endpoint', [both(exchange('id.example.com'), exchange('id.example.com')), GROUP], []],
  [
    'one header secret for two hosts',
    [both(header('KEY'), header('KEY')), GROUP],
    [
      'LNT6018 warning 7:65 the variable "KEY" is sent to github.example.com, jira.example.com: each host can use it to call the others',
    ],
  ],
  [
    'one client secret for two token endpoints',
    [both(exchange('a.example.com'), exchange('b.example.com')), GROUP],
    [
      'LNT6018 warning 7:65 the variable "STS" is sent to a.example.com, b.example.com: each host can use it to call the others',
    ],
  ],
  [
    'one forwarded header secret for two hosts',
    [gateway('incomingAuth: { type: anonymous }'), forwarding('github'), forwarding('jira')],
    [
      'LNT6018 warning 11:170 key "all" of Secret "keys" is sent to github.example.com, jira.example.com: each host can use it to call the others',
    ],
  ],
])('the rule sharedSecrets gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('sharedSecrets', objects)).toEqual(expected);
});
