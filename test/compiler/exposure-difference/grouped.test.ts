/** The report of `lintel diff` prints repeated changes once, and changes of tools separately from changes of access. */
import { expect, test } from 'vitest';
import type {
  CallerChange,
  ExposureDifference,
  ItemChange,
} from '../../../compiler/analysis/exposure/difference/difference.ts';
import { groupCallers, groupChanges } from '../../../compiler/analysis/exposure/difference/render/group-changes.ts';
import { DIFFERENCE_RENDERERS } from '../../../compiler/analysis/exposure/difference/render/index.ts';

const STAFF = 'principal in Group::"staff"';

function change(name: string, more: Partial<ItemChange> = {}): ItemChange {
  const aspects = [{ name: 'may call', before: 'nobody', after: STAFF, effect: 'wider' }] as const;
  return { type: 'tool', name, change: 'changed', effect: 'wider', alarms: [], aspects, ...more };
}

function caller(who: string, gained: readonly string[], reading?: CallerChange['reading']): CallerChange {
  return { who, gained: gained.map(name => ({ type: 'tool', name })), lost: [], ...(reading && { reading }) };
}

function difference(parts: Partial<ExposureDifference>): ExposureDifference {
  return {
    formatVersion: 1,
    kind: 'gateway',
    namespace: 'default',
    name: 'eng',
    change: 'changed',
    classification: 'wider',
    complete: true,
    callers: [],
    changes: [],
    ...parts,
  };
}

const names = Array.from({ length: 41 }, (_, index) => `tool_${String(index).padStart(2, '0')}`);

test('lintel diff shows changes that differ only in the tool name as one change, with the first eight names', () => {
  const text = DIFFERENCE_RENDERERS.pretty([difference({ changes: names.map(name => change(name)) })], {
    color: false,
  });
  expect(text).toBe(`default/eng: wider
  ~ 41 tools changed: ${names.slice(0, 8).join(', ')} and 33 more (wider)
      may call: nobody → ${STAFF}

1 of 1 gateway or registry server differs: 1 wider
`);
});

test('lintel diff names all tools under "Look at these first", even if their changes share one line', () => {
  const changes = names.map(name => change(name, { alarms: ['destructive'] }));
  const text = DIFFERENCE_RENDERERS.pretty([difference({ changes })], { color: false });
  expect(text).toContain(`  ! default/eng: 41 tools ${names.join(', ')}: may destroy\n`);
  expect(text).toContain('; 41 changes need a look\n');
});

test.each<[what: string, other: ItemChange]>([
  ['another effect', change('b', { effect: 'narrower' })],
  ['another type', change('b', { type: 'prompt' })],
  ['other alarms', change('b', { alarms: ['unannotated'] })],
  ['another detail', change('b', { aspects: [] })],
  ['another kind of change', change('b', { change: 'added' })],
  ['a former name', change('b', { formerName: 'c' })],
])('lintel diff does not group two changes if the second has %s', (_, other) => {
  expect(groupChanges([change('a'), other])).toHaveLength(2);
});

test('lintel diff --format json lists each change separately', () => {
  const callers = [caller('resource.readOnlyHint', ['a'], { who: 'everyone', which: 'resource.readOnlyHint' })];
  const changes = [change('a'), change('b')];
  const { differences } = JSON.parse(DIFFERENCE_RENDERERS.json([difference({ callers, changes })], { color: false }));
  expect(differences[0].changes).toHaveLength(2);
  expect(differences[0].callers).toEqual([
    { who: 'resource.readOnlyHint', gained: [{ type: 'tool', name: 'a' }], lost: [] },
  ]);
});

test('lintel diff names the first four of many callers with the same gains, and puts gains and losses on separate lines', () => {
  const callers = ['a', 'b', 'c', 'd', 'e', 'f'].map(who => ({
    ...caller(who, ['x']),
    lost: [{ type: 'tool', name: 'y' } as const],
  }));
  const text = DIFFERENCE_RENDERERS.pretty([difference({ callers })], { color: false });
  expect(text).toContain(`
  a; or b; or c; or d; or 2 more (--format json has each) gains x
  a; or b; or c; or d; or 2 more (--format json has each) loses y
`);
  expect(DIFFERENCE_RENDERERS.html([difference({ callers })], { color: false })).toContain(
    'a; or b; or c; or d; or e; or f',
  );
});

const hint = (who: string, which = 'resource.readOnlyHint') => ({ who, which });

test.each<[what: string, callers: readonly CallerChange[], lines: readonly (readonly [string, string])[]]>([
  [
    'callers with the same gains on one line',
    [caller(STAFF, ['a', 'b']), caller('everyone in doubt', ['a', 'b'])],
    [[`${STAFF}; or everyone in doubt`, 'a, b']],
  ],
  [
    'a condition on the tool after the tool, and a condition on the caller before',
    [caller(`${STAFF} && resource.readOnlyHint`, ['any other'], hint(STAFF))],
    [[STAFF, 'any other where resource.readOnlyHint']],
  ],
  [
    'one line for a caller, whatever the conditions on tools are',
    [caller(STAFF, ['a']), caller(`${STAFF} && …`, ['any other'], hint(STAFF))],
    [[STAFF, 'a; any other where resource.readOnlyHint']],
  ],
  [
    'no condition on a tool that the caller gains without it',
    [caller(STAFF, ['a']), caller(`${STAFF} && …`, ['a'], hint(STAFF))],
    [[STAFF, 'a']],
  ],
  [
    'several conditions on one tool together',
    [caller('1', ['any other'], hint(STAFF)), caller('2', ['any other'], hint(STAFF, 'resource.name == "x"'))],
    [[STAFF, 'any other where resource.readOnlyHint or resource.name == "x"']],
  ],
])('lintel diff shows %s', (_, callers, lines) => {
  expect(groupCallers(callers).map(({ who, gained }) => [who, gained])).toEqual(lines);
});
