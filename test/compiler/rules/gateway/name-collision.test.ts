import { expect, test } from 'vitest';
import { entries, findings, formatBackendKey, judge } from '../../../support/gateway-rule.ts';
import { gatewayConfig } from '../../../support/rule.ts';

const BOTH = { [formatBackendKey('a')]: { tools: ['search', 'find'] }, [formatBackendKey('b')]: { tools: ['search'] } };
const MANUAL = 'conflictResolution: manual, tools: [{ workload: a }]';
const aggregation = (text: string) => [gatewayConfig(`{ aggregation: { ${text} } }`), entries('a', 'b')];

test.each<[string, string, string[]]>([
  ['two tools of one name with prefixes', '', []],
  [
    'two tools of one name with priority',
    'conflictResolution: priority, conflictResolutionConfig: { priorityOrder: [b] }',
    [],
  ],
  [
    'two tools of one name with manual resolution',
    MANUAL,
    [
      'LNT3002 error 7:48 "search" of "a" and "search" of "b" are both named "search", and conflictResolution is manual, so neither is served',
    ],
  ],
  [
    'two tools of one name with manual resolution and an override',
    'conflictResolution: manual, tools: [{ workload: a, overrides: { search: { name: search_a } } }]',
    [],
  ],
  [
    'an override to the name of another tool of the backend',
    'tools: [{ workload: a, overrides: { find: { name: search } } }]',
    ['LNT3002 error 7:78 "find" of "a" and "search" of "a" are both named "a_search", so neither is served'],
  ],
  [
    'two tools of one name of which one is hidden',
    'conflictResolution: manual, tools: [{ workload: a, excludeAll: true }]',
    [
      'LNT3002 error 7:48 "search" of "a" and "search" of "b" are both named "search", and conflictResolution is manual, so neither is served',
    ],
  ],
  [
    'two tools of one name of which both are hidden',
    `excludeAllTools: true, ${MANUAL}`,
    [
      'LNT3002 warning 7:71 "search" of "a" and "search" of "b" are both named "search", and conflictResolution is manual, so neither is served',
    ],
  ],
])('the rule nameCollision gives the expected findings for: %s', (_, text, expected) => {
  expect(judge('nameCollision', aggregation(text), BOTH)).toEqual(expected);
});

test('the rule nameCollision reports prefixes that give two tools or prompts the same name', () => {
  const offers = {
    [formatBackendKey('a')]: { tools: ['b_c'], prompts: [{ name: 'b_c' }] },
    [formatBackendKey('a-b')]: { tools: ['c'], prompts: [{ name: 'c' }] },
  };
  const text = '{ aggregation: { conflictResolutionConfig: { prefixFormat: "a_" } } }';
  expect(judge('nameCollision', [gatewayConfig(text), entries('a', 'a-b')], offers)).toEqual([]);
  const same = {
    [formatBackendKey('a')]: offers[formatBackendKey('a')] ?? {},
    [formatBackendKey('a-b')]: offers[formatBackendKey('a')] ?? {},
  };
  expect(judge('nameCollision', [gatewayConfig(text), entries('a', 'a-b')], same)).toEqual([
    'LNT3002 error 7:70 "b_c" of "a" and "b_c" of "a-b" are both named "a_b_c", so neither is served',
    'LNT3002 error 7:70 the prompts "b_c" of "a" and "b_c" of "a-b" are both named "a_b_c", so neither is served',
  ]);
});

test('LNT3002 about three tools with the same name refers to the backend of each tool', () => {
  const offers = Object.fromEntries(['a', 'b', 'c'].map(name => [formatBackendKey(name), { tools: ['search'] }]));
  const text = `{ aggregation: { conflictResolution: manual, tools: [{ workload: a, overrides: { x: { name: y } } }] } }`;
  const [found] = findings('nameCollision', [gatewayConfig(text), entries('a', 'b', 'c')], offers);
  expect(found?.message).toBe(
    '"search" of "a" and "search" of "b" and "search" of "c" are all named "search", and conflictResolution is manual, so none is served',
  );
  expect(found?.related?.map(({ message, range }) => `${range.start.line} ${message}`)).toEqual([
    '16 "search" of "a"',
    '21 "search" of "b"',
    '26 "search" of "c"',
  ]);
});
