import { describe, expect, test } from 'vitest';
import type { Condition } from '#schemas';
import {
  MAX_MESSAGE_LENGTH,
  markReady,
  markReconciling,
  markRetrying,
  markStalled,
  removeConditions,
  setCondition,
} from '../../../controller/status/conditions.ts';
import { findCondition } from '../../../controller/status/index.ts';

const at = (second: number, generation = 1) => ({ generation, now: new Date(Date.UTC(2026, 0, 1, 0, 0, second, 567)) });
const cause = { reason: 'Because', message: 'of this' };
const types = (list: readonly Condition[]) => list.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

describe('one condition', () => {
  const first = setCondition([], { type: 'Ready', status: 'True', reason: 'A', message: 'm' }, at(1));

  test('the controller writes a condition with the fields and formats of Kubernetes', () => {
    expect(first).toEqual([
      {
        type: 'Ready',
        status: 'True',
        observedGeneration: 1,
        lastTransitionTime: '2026-01-01T00:00:01Z',
        reason: 'A',
        message: 'm',
      },
    ]);
  });

  test.each([
    ['a new reason keeps the time', { status: 'True', reason: 'B', message: 'm' }, at(5), '2026-01-01T00:00:01Z'],
    ['a new message keeps the time', { status: 'True', reason: 'A', message: 'n' }, at(5), '2026-01-01T00:00:01Z'],
    [
      'a new generation keeps the time',
      { status: 'True', reason: 'A', message: 'm' },
      at(5, 2),
      '2026-01-01T00:00:01Z',
    ],
    ['a new status changes the time', { status: 'False', reason: 'A', message: 'm' }, at(5), '2026-01-01T00:00:05Z'],
    [
      'a new status keeps the time if the clock was put back',
      { status: 'False', reason: 'A', message: 'm' },
      at(0),
      '2026-01-01T00:00:01Z',
    ],
  ] as const)('lastTransitionTime of a condition changes only with its status: %s', (_, said, stamp, time) => {
    const [condition] = setCondition(first, { type: 'Ready', ...said }, stamp);
    expect(condition).toMatchObject({ ...said, lastTransitionTime: time, observedGeneration: stamp.generation });
  });

  test.each(['', 'not camel', 'lower', 'a'.repeat(1025), 'With-Dash'])(
    'a condition cannot have the reason %j',
    reason => {
      expect(() => setCondition([], { type: 'Ready', status: 'True', reason, message: '' }, at(1))).toThrow(RangeError);
    },
  );

  test('setting a condition leaves the former list of conditions unchanged', () => {
    const before = structuredClone(first);
    setCondition(first, { type: 'Ready', status: 'False', reason: 'B', message: '' }, at(2));
    expect(first).toEqual(before);
  });
});

describe('messages', () => {
  const said = (message: string) =>
    setCondition([], { type: 'Ready', status: 'False', reason: 'A', message }, at(1))[0]?.message ?? '';

  test('the controller does not cut a condition message of the greatest allowed length', () => {
    expect(said('x'.repeat(MAX_MESSAGE_LENGTH))).toBe('x'.repeat(MAX_MESSAGE_LENGTH));
  });

  test('the controller cuts a condition message that is too long, and says how many characters are missing', () => {
    const text = said('x'.repeat(40_000));
    const [, kept = '', missing] = /^(x+)… \((\d+) more characters\)$/.exec(text) ?? [];
    expect(text.length).toBeLessThanOrEqual(MAX_MESSAGE_LENGTH);
    expect(kept.length + Number(missing)).toBe(40_000);
  });

  test.each([0, 1])(
    'the controller cuts no condition message within a character, with %i characters before this character',
    shift => {
      expect(said(`${'x'.repeat(shift)}${'😀'.repeat(20_000)}`).isWellFormed()).toBe(true);
    },
  );
});

describe('lists', () => {
  test('the conditions of an object have a fixed order, regardless of the order in which they were set', () => {
    const names = ['Applied', 'Stalled', 'Compiled', 'Ready', 'Healthy', 'Reconciling'];
    const made = (order: readonly string[]) =>
      order.reduce<readonly Condition[]>(
        (list, type) => setCondition(list, { type, status: 'True', reason: 'A', message: '' }, at(1)),
        [],
      );
    expect(made(names).map(({ type }) => type)).toEqual([
      'Ready',
      'Reconciling',
      'Stalled',
      'Applied',
      'Compiled',
      'Healthy',
    ]);
    expect(made(names.toReversed())).toEqual(made(names));
  });

  test('a condition can be found and removed by its type', () => {
    const list = markStalled([], cause, at(1));
    expect(findCondition(list, 'Stalled')?.reason).toBe('Because');
    expect(findCondition(list, 'Applied')).toBeUndefined();
    expect(types(removeConditions(list, 'Stalled', 'Applied'))).toEqual(['Ready=False Because']);
  });
});

describe('kstatus', () => {
  const other = setCondition([], { type: 'Compiled', status: 'True', reason: 'Succeeded', message: '' }, at(0));
  const STATES = {
    ready: markReady,
    reconciling: markReconciling,
    retrying: markRetrying,
    stalled: markStalled,
  } as const;
  const EXPECTED = {
    ready: ['Ready=True Because'],
    reconciling: ['Ready=Unknown Because', 'Reconciling=True Because'],
    retrying: ['Ready=False Because', 'Reconciling=True ProgressingWithRetry'],
    stalled: ['Ready=False Because', 'Stalled=True Because'],
  } as const;
  const names = Object.keys(STATES) as (keyof typeof STATES)[];

  test.each(names.flatMap(from => names.map(to => [from, to] as const)))(
    'the conditions of a source that changes from %s to %s follow kstatus',
    (from, to) => {
      const list = STATES[to](STATES[from](other, { reason: 'Before', message: '' }, at(1)), cause, at(2));
      expect(types(list)).toEqual([...EXPECTED[to], 'Compiled=True Succeeded']);
    },
  );
});
