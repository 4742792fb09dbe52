import { expect, test } from 'vitest';
import { entries, formatBackendKey, judge } from '../../../support/gateway-rule.ts';

const gateway = (annotation: string) => `apiVersion: lintel.dev/v1beta1
kind: VirtualMCPServer
metadata:
  name: eng
  annotations: { lintel.dev/expectations: '${annotation}' }
spec:
  groupRef: { name: tools }
  incomingAuth:
    type: oidc
    oidcConfigRef: { name: corp, audience: mcp }
    authzConfig:
      type: inline
      inline: { policies: ['permit(principal in Group::"eng", action, resource == Tool::"github_search");'] }
  config:
    compositeTools: [{ name: clean, description: Cleans, steps: [{ id: a, tool: github.delete_repo }] }]
---
apiVersion: lintel.dev/v1beta1
kind: MCPOIDCConfig
metadata: { name: corp }
spec: { type: inline, inline: { issuer: https://auth.example.com } }
`;

const OFFERS = { [formatBackendKey('github')]: { tools: ['search', 'delete_repo'] } };
const ENG = '"caller":{"groups":["eng"]}';

test.each<[annotation: string, findings: readonly RegExp[]]>([
  [`[{"caller":"anonymous","reaches":0},{${ENG},"canCall":["github_search"],"reaches":1}]`, []],
  [`[{${ENG},"cannotReach":["github_delete_repo","pg_drop_table"]}]`, []],
  [`[{${ENG},"reaches":0}]`, [/^LNT5013 error .* must reach 0 tools, and reaches 1: github_search$/]],
  [`[{${ENG},"cannotReach":["github_search"]}]`, [/LNT5013 error .* must not reach "github_search", and may call it$/]],
  [
    `[{${ENG},"cannotReach":["github_serch"]}]`,
    [/LNT5013 error .* which does not exist; did you mean "github_search"\?$/],
  ],
  // An expectation cannot forbid a name that no client sees.
  [`[{${ENG},"cannotReach":[""]}]`, [/LNT5013 error .* must not reach "", which is not a name$/]],
  [
    `[{"caller":"anonymous","cannotReach":["search"]}]`,
    [/LNT5013 error .* not what clients see: they see "github_search"$/],
  ],
  [`[{${ENG},"cannotReach":["github.delete_repo"]}]`, [/LNT5013 error .* they see "github_delete_repo"$/]],
  [`[{${ENG},"cannotReach":["GitHub-delete-repo"]}]`, [/LNT5013 error .* did you mean "github_delete_repo"\?$/]],
  [`[{${ENG},"canCall":["clean"]}]`, [/LNT5013 error .* must be able to call "clean", and may not$/]],
  [`[{${ENG},"canCall":["github_serch"]}]`, [/LNT5013 error .*; did you mean "github_search"\?$/]],
  [
    `[{"caller":"anonymous","canCall":["github_search"]}]`,
    [/LNT5013 error .* a caller without a token .* is refused: /],
  ],
  ['{}', [/^LNT5014 error .* expectations: not a list$/]],
  ['[{"caller":"anonymous"}]', [/^LNT5014 error .* \/0: expects nothing$/]],
  ['[{"caller":"nobody","reaches":0}]', [/^LNT5014 error .* \/0\/caller: /]],
  [
    '[{"caller":{"exp":1},"reaches":0}]',
    [/^LNT5014 error .* \/0\/caller\/exp: exp would make the result depend on the day$/],
  ],
  ['[{"caller":"anonymous","reaches":-1}]', [/^LNT5014 error /]],
  ['[{"caller":"anonymous","reach":0}]', [/^LNT5014 error .* unknown member "reach"/]],
])('the rule expectations gives the expected findings for %s', (annotation, findings) => {
  const found = judge('expectations', [entries('github'), gateway(annotation)], OFFERS);
  expect(found).toEqual(findings.map(finding => expect.stringMatching(finding)));
});

const ANYBODY = '"caller":{"groups":["sales"]}';

test.each<[annotation: string, findings: readonly RegExp[]]>([
  ['[{"caller":"anonymous","reaches":0,"cannotReach":["github_delete_repo"]}]', []],
  ['[{"caller":{"iss":"https://elsewhere.example"},"reaches":0}]', []],
  // No policy permits this caller a call of that name, whatever the tool's annotations are.
  [`[{${ANYBODY},"cannotReach":["github_delete_repo","github_search"]}]`, []],
  [`[{${ANYBODY},"reaches":0}]`, [/^LNT5015 warning .* must reach 0 tools: this cannot be checked/]],
  // Tools of that backend have another prefix.
  [`[{${ENG},"cannotReach":["pg_drop_table"]}]`, []],
  [`[{${ENG},"cannotReach":["github_search"]}]`, [/^LNT5015 warning .* must not reach "github_search"/]],
  [`[{${ENG},"reaches":0}]`, [/^LNT5015 warning .* must reach 0 tools: this cannot be checked/]],
  // A policy may permit a tool that does not exist.
  [
    `[{${ENG},"canCall":["github_search"]}]`,
    [/^LNT5015 warning .* must be able to call "github_search": this cannot be checked/],
  ],
])('the rule expectations without a tool lock gives the expected findings for %s', (annotation, findings) => {
  const found = judge('expectations', [entries('github'), gateway(annotation)]);
  expect(found).toEqual(findings.map(finding => expect.stringMatching(finding)));
});

const looking = (claim: string, expected: string) =>
  gateway(`[{"caller":{${claim}},${expected}}]`).replace(/permit.*;/, POLICY);
const POLICY = `permit(principal, action, resource == Tool::"github_search") when { principal has claim_iss && principal.claim_iss == "https://auth.example.com" && principal has claim_aud && principal.claim_aud == "mcp" };`;

test.each<[claims: string, expected: string, findings: readonly RegExp[]]>([
  // There is one issuer, so every token is from it.
  ['"aud":"mcp"', '"reaches":1', []],
  ['"aud":"mcp"', '"reaches":0', [/^LNT5013 error .* reaches 1: github_search$/]],
  ['"aud":["mcp","other"]', '"reaches":0', []],
  ['"iss":"https://other.example.com"', '"reaches":0', []],
  [
    '"groups":["eng"]',
    '"reaches":0',
    [/^LNT5015 warning .* has no aud, which every token has and policies read: the expectation cannot be checked/],
  ],
  ['"groups":["eng"]', '"canCall":["github_search"]', [/^LNT5015 warning .* has no aud/]],
])(
  'the rule expectations gives the expected findings for a caller with %s and the expectation %s, if policies read aud',
  (claims, expected, findings) => {
    const found = judge('expectations', [entries('github'), looking(claims, expected)], OFFERS);
    expect(found).toEqual(findings.map(finding => expect.stringMatching(finding)));
  },
);

const open = (aggregation: string, policy: string) =>
  gateway(`[{${ENG},"reaches":1},{${ENG},"cannotReach":["docs_write"]},{${ENG},"cannotReach":["github_delete_repo"]}]`)
    .replace(/permit.*;/, policy)
    .replace('compositeTools:', `aggregation: ${aggregation}\n    compositeTools:`);
const only = (workload: string, name: string) =>
  `{ defaultToolVisibility: deny, tools: [{ workload: ${workload}, filter: [${name}] }] }`;
const EVERYTHING = 'permit(principal, action, resource) unless { resource == Tool::"clean" };';
const HINTED = `${EVERYTHING} forbid(principal, action, resource) unless { resource has readOnlyHint };`;
const CLEANING = 'permit(principal, action, resource == Tool::"clean");';

test.each<[what: string, aggregation: string, policy: string, findings: readonly string[]]>([
  ['no tool is offered', '{ defaultToolVisibility: deny }', EVERYTHING, ['LNT5013 reaches 0']],
  ['all tools are offered', '{}', EVERYTHING, ['LNT5015 1 tools', 'LNT5015 docs_write', 'LNT5015 github_delete_repo']],
  ['one tool is offered', only('docs', 'write'), EVERYTHING, ['LNT5015 1 tools', 'LNT5015 docs_write']],
  [
    'an offered tool may have the required annotation',
    only('docs', 'write'),
    HINTED,
    ['LNT5015 1 tools', 'LNT5015 docs_write'],
  ],
  [
    'an offered tool is not permitted',
    only('docs', 'write'),
    CLEANING,
    ['LNT5015 1 tools', 'LNT5015 github_delete_repo'],
  ],
  [
    'another backend may take the name',
    '{ conflictResolution: manual, defaultToolVisibility: deny, tools: [{ workload: docs, excludeAll: true }, { workload: github, excludeAll: true }] }',
    EVERYTHING,
    ['LNT5013 reaches 0', 'LNT5015 docs_write', 'LNT5015 github_delete_repo'],
  ],
])(
  'the rule expectations gives the expected findings for backends without a tool lock if %s',
  (_, aggregation, policy, expected) => {
    const found = judge('expectations', [entries('docs', 'github'), open(aggregation, policy)]);
    expect(
      found.map(one => one.replace(/^(LNT\d+).*(reaches 0|1 tools|docs_write|github_delete_repo).*$/, '$1 $2')),
    ).toEqual(expected);
  },
);
