import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge, object } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const OFFERS = {
  [formatBackendKey('a')]: { tools: ['search', 'delete'] },
  [formatBackendKey('b')]: { tools: ['list'] },
};
const tools = (text: string) => gatewayConfig(`{ aggregation: { tools: [${text}] } }`);

test.each<[string, string, string[]]>([
  ['existing tool names', '{ workload: a, filter: [search], overrides: { delete: { description: d } } }', []],
  ['a new name in the filter', '{ workload: a, filter: [find], overrides: { search: { name: find } } }', []],
  [
    'a misspelt name in the filter',
    '{ workload: a, filter: [search, delet] }',
    ['error 7:68 "a" has no tool "delet", so this entry of the filter shows nothing | did you mean "delete"?'],
  ],
  [
    'a misspelt name in the overrides',
    '{ workload: a, overrides: { serch: { description: d } } }',
    ['error 7:64 "a" has no tool "serch", so the override changes nothing | did you mean "search"?'],
  ],
  [
    'an old name in the filter',
    '{ workload: a, filter: [search], overrides: { search: { name: find } } }',
    [
      'error 7:60 an override renames "search" of "a", and the filter looks at new names, so the tool is hidden | write "find"',
    ],
  ],
  ['a filter of a backend whose tools are all excluded', '{ workload: a, excludeAll: true, filter: [quux] }', []],
])('the rule idleToolSetting gives the expected findings for: %s', (_, text, expected) => {
  const found = findings('idleToolSetting', [tools(text), entries('a', 'b')], OFFERS);
  expect(
    found.map(
      ({ severity, range: { start }, message, fix }) => `${severity} ${start.line}:${start.column} ${message} | ${fix}`,
    ),
  ).toEqual(expected);
});

test('the rule idleToolSetting does not check a backend without a tool lock', () => {
  expect(judge('idleToolSetting', [tools('{ workload: a, filter: [quux] }'), entries('a', 'b')], {})).toEqual([]);
});

const CONFIG = object(
  'MCPToolConfig',
  '{ toolsFilter: [search, list, quux], toolsOverride: { nope: { name: n } } }',
  'shared',
);

test('the rule idleToolSetting reports tool names in an MCPToolConfig that no backend with this MCPToolConfig has', () => {
  const text = tools(
    '{ workload: a, toolConfigRef: { name: shared } }, { workload: b, toolConfigRef: { name: shared } }',
  );
  expect(judge('idleToolSetting', [text, CONFIG, entries('a', 'b')], OFFERS)).toEqual([
    'LNT3007 warning 12:37 "a" and "b" have no tool "quux", so this entry of the filter shows nothing (in gateway "it")',
    'LNT3007 warning 12:61 "a" and "b" have no tool "nope", so the override changes nothing (in gateway "it")',
  ]);
});

test('the rule idleToolSetting gives no finding about an MCPToolConfig if the tool lock lacks one of the backends that use it', () => {
  const text = tools(
    '{ workload: a, toolConfigRef: { name: shared } }, { workload: b, toolConfigRef: { name: shared } }',
  );
  const half = { [formatBackendKey('a')]: { tools: ['search'] } };
  expect(judge('idleToolSetting', [text, CONFIG, entries('a', 'b')], half)).toEqual([]);
});
