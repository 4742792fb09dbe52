import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, object } from '../../../support/gateway-rule.ts';
import { gateway, gatewayConfig } from '../../../support/rule.ts';

const TOOL = { inputSchema: { type: 'object' } };
const OFFERS = {
  [formatBackendKey('pg')]: {
    tools: [
      { ...TOOL, name: 'query', annotations: { readOnlyHint: true } },
      { ...TOOL, name: 'drop', annotations: { destructiveHint: true } },
    ],
  },
};

/** The lines of a gateway whose policies start on line 13 and are followed by the step that calls `pg_drop`. */
function spec(policies: readonly string[], { config = '', tool = 'pg_drop' } = {}): readonly string[] {
  const texts = policies.map(policy => `          - '${policy}'\n`).join('');
  const text = `incomingAuth:
    type: oidc
    oidcConfigRef: { name: corp, audience: mcp }
    authzConfig:
      type: inline
      inline:
        policies:
${texts}  config:
    compositeTools:
      - name: cleanup
        description: Cleans up
        steps:
          - { id: look, tool: pg_query }
          - { id: purge, tool: ${tool}, dependsOn: [look] }
    ${config}`;
  const oidc = object('MCPOIDCConfig', '{ type: inline, inline: { issuer: "https://auth.example.com" } }', 'corp');
  return [gateway(text), oidc, entries('pg')];
}

const CLEANUP = 'permit(principal, action, resource == Tool::"cleanup");';
const READ = 'permit(principal, action, resource == Tool::"pg_query");';
const ENG = 'permit(principal in Group::"eng", action, resource);';
const WAY = '(cleanup → purge → pg_drop)';

test.each<[string, readonly string[], readonly string[]]>([
  [
    'an error for a tool that a policy forbids to every caller',
    [READ, ENG, '@id("no-ddl") forbid(principal, action, resource == Tool::"pg_drop");'],
    [
      `LNT5008 error 22:32 "cleanup" lets principal in Group::"eng" reach "pg_drop" ${WAY}, which policy "no-ddl" forbids to every caller`,
    ],
  ],
  [
    'a warning for a tool that no policy permits',
    [READ, CLEANUP],
    [
      `LNT5008 warning 21:32 "cleanup" lets everyone reach "pg_drop" ${WAY}, which no policy permits any caller to call`,
    ],
  ],
  [
    'a tool with a stricter condition',
    [READ, CLEANUP, 'permit(principal in Group::"dba", action, resource == Tool::"pg_drop");'],
    [
      `LNT5008 warning 22:32 "cleanup" lets everyone reach "pg_drop" ${WAY}, which the policies permit only to principal in Group::"dba"`,
    ],
  ],
  [
    'a workflow whose callers may call the tool as well',
    [
      READ,
      'permit(principal in Group::"eng", action, resource == Tool::"cleanup");',
      'permit(principal, action, resource == Tool::"pg_drop") when { principal in Group::"eng" || principal in Group::"dba" };',
    ],
    [],
  ],
  [
    'a workflow of which some callers may not call the tool',
    [
      READ,
      ENG,
      'permit(principal in Group::"ops", action, resource == Tool::"cleanup");',
      'permit(principal in Group::"dba", action, resource == Tool::"pg_drop");',
    ],
    [
      `LNT5008 warning 23:32 "cleanup" lets principal in Group::"ops" reach "pg_drop" ${WAY}, which the policies permit only to principal in Group::"dba" or principal in Group::"eng"`,
    ],
  ],
  [
    'a forbid for some callers of the tool only',
    [READ, ENG, 'forbid(principal in Group::"interns", action, resource == Tool::"pg_drop");'],
    [
      `LNT5008 warning 22:32 "cleanup" lets principal in Group::"eng" reach "pg_drop" ${WAY}, which the policies permit only to principal in Group::"eng", unless principal in Group::"interns"`,
    ],
  ],
  [
    'a forbid for some callers of tool and workflow',
    [READ, ENG, 'forbid(principal in Group::"interns", action, resource);'],
    [],
  ],
  ['the same condition for tool and workflow', [ENG], []],
  ['a wider condition for the tool', [READ, ENG, 'permit(principal, action, resource == Tool::"pg_drop");'], []],
  ['a workflow that no caller may call', ['forbid(principal, action, resource == Tool::"cleanup");', ENG], []],
])('the rule compositeEscalation gives the expected findings for: %s', (_, policies, expected) => {
  expect(judge('compositeEscalation', spec(policies), OFFERS)).toEqual(expected);
});

test('the rule compositeEscalation also compares the permissions of a hidden tool with those of the workflow that calls it', () => {
  const config = 'aggregation: { tools: [{ workload: pg, filter: [query] }] }';
  expect(judge('compositeEscalation', spec([ENG], { config }), OFFERS)).toEqual([]);
  expect(judge('compositeEscalation', spec([READ, CLEANUP], { config }), OFFERS)).toHaveLength(1);
});

test('LNT5008, about a workflow through which callers reach a forbidden tool, refers to the policy that forbids the tool', () => {
  const forbid = '@id("no-ddl") forbid(principal, action, resource == Tool::"pg_drop");';
  const [found] = findings('compositeEscalation', spec([READ, ENG, forbid]), OFFERS);
  expect(found?.related?.map(({ message, range }) => [message, range.start.line])).toEqual([
    ['the policy that forbids it', 15],
  ]);
});

test('a forbidden tool that several steps of a workflow call gives one LNT5008, at the first of these steps', () => {
  const twice = spec([READ, CLEANUP], { tool: 'pg.drop, dependsOn: [look] }\n          - { id: again, tool: pg_drop' });
  expect(judge('compositeEscalation', twice, OFFERS).map(text => text.slice(0, 21))).toEqual(['LNT5008 warning 21:32']);
});

const UNKNOWN = ' (its backend is not in the tool lock)';

test.each<[string, string, readonly string[], readonly string[]]>([
  [
    'a tool named as backend.tool',
    'pg.drop',
    [READ, ENG, '@id("no-ddl") forbid(principal, action, resource == Tool::"pg_drop");'],
    [
      `LNT5008 hint 22:32 "cleanup" lets principal in Group::"eng" reach "pg_drop" ${WAY}, which policy "no-ddl" forbids to every caller${UNKNOWN}`,
    ],
  ],
  [
    'a tool named as clients see it',
    'pg_drop',
    [READ, CLEANUP],
    [
      `LNT5008 hint 21:32 "cleanup" lets everyone reach "pg_drop" ${WAY}, which no policy permits any caller to call${UNKNOWN}`,
    ],
  ],
  [
    'a tool whose annotations decide about the permit',
    'pg_drop',
    [READ, CLEANUP, 'permit(principal, action, resource) when { resource has readOnlyHint && resource.readOnlyHint };'],
    [],
  ],
])(
  'a step that calls a tool of a backend that the tool lock lacks gives the expected hints LNT5008: %s',
  (_, tool, policies, expected) => {
    const offers = { [formatBackendKey('other')]: OFFERS[formatBackendKey('pg')] ?? {} };
    expect(judge('compositeEscalation', spec(policies, { tool }), offers)).toEqual(expected);
  },
);

test('the rule compositeEscalation gives no finding about a gateway without policies or with policies that do not parse', () => {
  const config = '{ compositeTools: [{ name: c, steps: [{ id: s, tool: pg_drop }] }] }';
  expect(judge('compositeEscalation', [gatewayConfig(config), entries('pg')], OFFERS)).toEqual([]);
  expect(judge('compositeEscalation', spec([READ, 'permit(']), OFFERS)).toEqual([]);
});
