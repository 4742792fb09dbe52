/** On a terminal, findings are grouped by file, and a message that repeats is printed once. */
import { expect, test } from 'vitest';
import { type Diagnostic, renderPretty } from '#compiler';
import { at, findings } from './finding.ts';

/** The printed findings, without the advice of each code. */
function grouped(found: readonly Diagnostic[], all = false): string {
  const text = renderPretty(findings(...found), () => undefined, { color: false, isGrouped: true, all });
  return text.replace(/^ +(?:= help: .*)\n/gm, '');
}

test('a grouped report of lintel check about one file has no file heading', () => {
  const text = grouped([at('a.yaml', 0, 'LNT1003', 'one'), at('a.yaml', 4, 'LNT1007', 'two')]);
  expect(text).toBe(`error[LNT1003] unknown-field: one
 --> a.yaml:1:1

error[LNT1007] unknown-kind: two
 --> a.yaml:1:5
`);
});

test('a grouped report of lintel check has a heading for each file with its numbers of findings, files with errors last', () => {
  const text = grouped([
    at('a.yaml', 0, 'LNT1003', 'one'),
    at('b.yaml', 0, 'LNT6012', 'two'),
    at('b.yaml', 3, 'LNT1003', 'one'),
    at('b.yaml', 9, 'LNT1007', 'three'),
  ]);
  expect(text).toBe(`b.yaml: 1 hint

hint[LNT6012] partial-failure-default: two
 --> b.yaml:1:1

a.yaml: 1 error

error[LNT1003] unknown-field: one
 --> a.yaml:1:1
  = also at b.yaml:1:4

b.yaml: 2 errors

error[LNT1007] unknown-kind: three
 --> b.yaml:1:10
`);
});

test('a grouped report of lintel check shows equal findings once, with their first places and a count of the other places', () => {
  const text = grouped(Array.from({ length: 42 }, (_, index) => at('a.yaml', index)));
  expect(text).toBe(`error[LNT1003] unknown-field: m
 --> a.yaml:1:1
  = also at a.yaml:1:2, a.yaml:1:3, a.yaml:1:4, a.yaml:1:5 and 37 more; \`lintel check --all\` shows each
`);
});

test.each([
  ['another message', at('a.yaml', 1, 'LNT1003', 'other')],
  ['another code', at('a.yaml', 1, 'LNT1010', 'm')],
  ['another fix', { ...at('a.yaml', 1), fix: 'f' }],
  ['another severity', { ...at('a.yaml', 1), severity: 'hint' } as const],
])('a grouped report of lintel check does not merge two findings if the second has %s', (_, other) => {
  expect(grouped([at('a.yaml', 0), other])).not.toContain('also at');
});

/** The finding for a missing Secret, at a place of one line. */
function missing(name: string, column: number): Diagnostic {
  const subject = `Secret "${name}"`;
  return { ...at('a.yaml', column, 'LNT2004', `${subject} is not there`), subject };
}

test('a grouped report of lintel check shows the same finding about several Secrets once, with each name', () => {
  const text = grouped([missing('a', 0), missing('b', 1), missing('a', 2), missing('b', 3), missing('c', 4)]);
  expect(text).toBe(`hint[LNT2004] unverifiable-reference: Secret "a" is not there
 --> a.yaml:1:1
  = also at a.yaml:1:3
  = also Secret "b" at a.yaml:1:2, a.yaml:1:4
  = also Secret "c" at a.yaml:1:5
`);
});

test('a grouped report of lintel check names the first eight of many Secrets with the same finding, and counts the others', () => {
  const text = grouped(Array.from({ length: 30 }, (_, index) => missing(`s${index}`, index)));
  expect(text.match(/also Secret/g)).toHaveLength(8);
  expect(text).toContain('  = also 21 more; `lintel check --all` shows each\n');
});

test('a grouped report of lintel check shows the first 20 messages of a code, and counts the others', () => {
  const found = Array.from({ length: 25 }, (_, index) => [
    at('a.yaml', 2 * index, 'LNT1003', `m${index}`),
    at('a.yaml', 2 * index + 1, 'LNT1003', `m${index}`),
  ]).flat();
  const text = grouped(found);
  expect(text.match(/also at/g)).toHaveLength(20);
  expect(text).toContain('… and 5 more of LNT1003 unknown-field; `lintel check --all` shows them\n');
});

test('lintel check --all shows each finding separately, also if several findings are equal', () => {
  expect(grouped([at('a.yaml', 0), at('a.yaml', 1), at('b.yaml', 0)], true)).not.toMatch(/also at|1 error/);
});
