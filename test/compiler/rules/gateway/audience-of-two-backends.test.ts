import { expect, test } from 'vitest';
import { entries, judge, object } from '../../../support/gateway-rule.ts';
import { gateway } from '../../../support/rule.ts';

const sending = (strategies: string) =>
  gateway(`incomingAuth: { type: anonymous }
  config: { outgoingAuth: { source: inline, ${strategies} } }`);
const exchange = (audience: string, url = 'https://id.example.com/token') =>
  `{ type: token_exchange, tokenExchange: { tokenUrl: "${url}", audience: ${audience} } }`;
const both = (github: string, jira: string) => sending(`backends: { github: ${github}, jira: ${jira} }`);
const GROUP = entries('github', 'jira');

test.each<[string, string[], string[]]>([
  ['different audiences', [both(exchange('github'), exchange('jira')), GROUP], []],
  [
    'equal audiences at different token endpoints',
    [both(exchange('tools'), exchange('tools', 'https://sts.example.com')), GROUP],
    [],
  ],
  ['tokens without an audience', [sending('default: { type: obo, obo: { tokenUrl: u, scopes: [a] } }'), GROUP], []],
  [
    'two backends at one URL',
    [
      sending(`default: ${exchange('tools')}`),
      entries('jira'),
      object(
        'MCPServerEntry',
        '{ groupRef: { name: tools }, remoteUrl: "https://jira.example.com/other", transport: sse }',
        'other',
      ),
    ],
    [],
  ],
  [
    'one audience for two backends',
    [both(exchange('tools'), exchange('tools')), GROUP],
    [
      'LNT6017 warning 7:65 "github" and "jira" get tokens with the same audience, "tools": each of them can use its token to call the others',
    ],
  ],
  [
    'one default audience for two backends',
    [sending(`default: ${exchange('tools')}`), GROUP],
    [
      'LNT6017 warning 7:54 "github" and "jira" get tokens with the same audience, "tools": each of them can use its token to call the others',
    ],
  ],
])('the rule audienceOfTwoBackends gives the expected findings for: %s', (_, objects, expected) => {
  expect(judge('audienceOfTwoBackends', objects)).toEqual(expected);
});
