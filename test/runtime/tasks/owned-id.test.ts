import { expect, test } from 'vitest';
import { ANONYMOUS } from '../../../runtime/auth/identity.ts';
import { sealId, unsealId } from '../../../runtime/gateway/tasks/owned-id.ts';
import { caller } from '../authorization/plans.ts';

const ALICE = caller({}, 'alice');
const BOB = caller({}, 'bob');
const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);

test.each(['t', '', 'a:b', '\u{1f600}', 'x'.repeat(1_000)])('the owner of a sealed task id gets the id %j back', id => {
  const sealed = sealId(KEY, 'b', id, ALICE);
  expect(sealed).not.toBe(id);
  expect(unsealId([KEY], 'b', sealed, caller({ other: 'token' }, 'alice'))).toBe(id);
});

test('a sealed task id that belongs to one caller does not open for another caller', () => {
  const sealed = sealId(KEY, 'b', 't', ALICE);
  expect(unsealId([KEY], 'b', sealed, BOB)).toBeUndefined();
  expect(unsealId([KEY], 'other', sealed, ALICE)).toBeUndefined();
  for (const forged of ['t', '', `:t`, sealed.slice(1), `${sealed}2`, sealed.replace(':', ';')]) {
    expect(unsealId([KEY], 'b', forged, ALICE)).toBeUndefined();
  }
});

test('a sealed task id opens with each of several keys, and with no other key', () => {
  const sealed = sealId(KEY, 'b', 't', ALICE);
  expect(unsealId([OTHER_KEY, KEY], 'b', sealed, ALICE)).toBe('t');
  expect(unsealId([OTHER_KEY], 'b', sealed, ALICE)).toBeUndefined();
});

test('the task ids of an unauthenticated caller have no seal', () => {
  expect(sealId(KEY, 'b', 't:1', ANONYMOUS)).toBe('t:1');
  expect(unsealId([KEY], 'b', 't:1', ANONYMOUS)).toBe('t:1');
});
