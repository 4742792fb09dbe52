import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, object } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const OFFERS = {
  [formatBackendKey('github')]: { tools: ['search', 'delete'] },
  [formatBackendKey('wiki')]: { tools: ['search'] },
};
const HALF = { [formatBackendKey('github')]: { tools: ['search', 'delete'] } };
const RENAMED =
  'aggregation: { tools: [{ workload: github, filter: [find], overrides: { search: { name: find } } }] }, ';

const calling = (tool: string, more = '') =>
  gatewayConfig(`{ ${more}compositeTools: [{ name: sort, steps: [{ id: s, tool: ${tool} }] }] }`);

test.each<[string, string, string[]]>([
  ['the name that clients see', calling('github_search'), []],
  ['the backend and its own name of the tool', calling('github.search'), []],
  ['a hidden tool', calling('github.delete', RENAMED), []],
  [
    'a misspelt tool',
    calling('github.serch'),
    ['error backend "github" has no tool "serch"', 'did you mean "github.search"?'],
  ],
  [
    'a misspelt workload',
    calling('githup.search'),
    ['error no backend has a tool "githup.search"', 'did you mean "github.search"?'],
  ],
  [
    'a misspelt name that clients see',
    calling('github_delet'),
    ['error no backend has a tool "github_delet"', 'did you mean "github_delete"?'],
  ],
  ['a name like no other', calling('quux'), ['error no backend has a tool "quux"', '']],
  [
    'the backend and the new name of the tool',
    calling('github.find', RENAMED),
    [
      'error "github.find" is not a tool: after the name of the backend, write the name that the backend gives the tool',
      'write "github.search"',
    ],
  ],
  ['a workflow', calling('sort'), ['error "sort" is a composite tool, and steps can only call tools of backends', '']],
  [
    'a name of two tools',
    calling('search', 'aggregation: { conflictResolution: manual, tools: [{ workload: wiki }] }, '),
    ['error "search" cannot be called: the tool of "github" and "wiki" is withheld because of its name', ''],
  ],
  [
    'a rate limit of a misspelt name',
    gatewayConfig('{ rateLimiting: { tools: [{ name: github_serch }, { name: github_search }] } }'),
    ['error clients see no tool "github_serch"', 'did you mean "github_search"?'],
  ],
  [
    'a rate limit of a backend and tool',
    gatewayConfig('{ rateLimiting: { tools: [{ name: github.search }] } }'),
    ['error clients see no tool "github.search"', 'did you mean "github_search"?'],
  ],
  [
    'a rate limit of a hidden tool',
    gatewayConfig(`{ ${RENAMED}rateLimiting: { tools: [{ name: github_delete }] } }`),
    ['warning "github_delete" is hidden, so clients do not call it and the limit has no effect', ''],
  ],
  [
    'a rate limit of a workflow',
    gatewayConfig(
      '{ rateLimiting: { tools: [{ name: sort }] }, compositeTools: [{ name: sort, steps: [{ id: s, tool: wiki.search }] }] }',
    ),
    [],
  ],
])('the rule toolReferences gives the expected findings for: %s', (_, text, [said, fix]) => {
  const found = findings('toolReferences', [text, entries('github', 'wiki')], OFFERS);
  expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual(said === undefined ? [] : [said]);
  expect(found.map(one => one.fix ?? '')).toEqual(said === undefined ? [] : [fix]);
});

test.each<[string, string, string[]]>([
  ['an unknown tool of a locked backend', 'github.serch', ['LNT3001 error 7:67 backend "github" has no tool "serch"']],
  ['an unknown tool of an unlocked backend', 'wiki.serch', []],
  ['a name with the prefix of the unlocked backend', 'wiki_serch', []],
  [
    'a name without a prefix',
    'serch',
    ['LNT3001 warning 7:67 no tool is called "serch": each name begins with the prefix of its backend'],
  ],
  ['a misspelt workload', 'githup.search', ['LNT3001 warning 7:67 no backend is named "githup"']],
  ['an unknown backend', 'a.b', ['LNT3001 warning 7:67 no backend is named "a"']],
])(
  'the rule toolReferences, with one of two backends in the tool lock, gives the expected findings for %s',
  (_, tool, expected) => {
    expect(judge('toolReferences', [calling(tool), entries('github', 'wiki')], HALF)).toEqual(expected);
  },
);

test.each(['serch', 'a.b'])(
  'the rule toolReferences accepts the unknown tool %s if tools have no prefixes and a backend outside of the tool lock may have it',
  tool => {
    const aggregation = 'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [wiki, github] }';
    const text = calling(tool, `aggregation: { ${aggregation} }, `);
    expect(judge('toolReferences', [text, entries('github', 'wiki')], HALF)).toEqual([]);
  },
);

test.each([
  ['serch', ['github', 'wiki'], 'write "<backend>.serch"'],
  ['serch', ['wiki'], 'write "wiki.serch"'],
  ['a.b', ['github', 'wiki'], 'name one of "github" and "wiki" before the dot'],
])('LNT3001 about the unknown tool %s with the backends %j has the fix: %s', (tool, names, fix) => {
  expect(findings('toolReferences', [calling(tool), entries(...names)]).map(one => one.fix)).toEqual([fix]);
});

test('the rule toolReferences without backends gives no finding', () => {
  expect(judge('toolReferences', [calling('serch'), entries()])).toEqual([]);
});

test('LNT3001 about an unknown tool in a forEach step names the gateway that refers to the workflow', () => {
  const steps = '[{ id: each, type: forEach, collection: "[]", step: { id: s, tool: wiki.serch } }]';
  const definition = object('VirtualMCPCompositeToolDefinition', `{ name: w, steps: ${steps} }`, 'w');
  const gateways = gatewayConfig('{ compositeToolRefs: [{ name: w }] }');
  expect(judge('toolReferences', [gateways, definition, entries('wiki')], OFFERS)).toEqual([
    'LNT3001 error 12:92 backend "wiki" has no tool "serch" (in gateway "it")',
  ]);
});

test('for a backend that the tool lock lacks, the compiler gives the hint LNT3001 at the definition of the backend', () => {
  expect(judge('unlockedBackends', [gatewayConfig('{}'), entries('github', 'wiki')], HALF)).toEqual([
    'LNT3001 hint 21:19 backend "wiki" is not in lintel.lock.json: nothing that depends on its tools is checked',
  ]);
});
