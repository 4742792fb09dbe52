import { expect, test } from 'vitest';
import { ANONYMOUS } from '../../../runtime/auth/identity.ts';
import { sealedId, unsealedId } from '../../../runtime/gateway/tasks/owned-id.ts';
import { caller } from '../authorization/plans.ts';

const ALICE = caller({}, 'alice');
const BOB = caller({}, 'bob');

test.each(['t', '', 'a:b', '\u{1f600}', 'x'.repeat(1_000)])('its owner gets the id %j back', id => {
  const sealed = sealedId('b', id, ALICE);
  expect(sealed).not.toBe(id);
  expect(unsealedId('b', sealed, caller({ other: 'token' }, 'alice'))).toBe(id);
});

test('to anybody else it leads nowhere', () => {
  const sealed = sealedId('b', 't', ALICE);
  expect(unsealedId('b', sealed, BOB)).toBeUndefined();
  expect(unsealedId('other', sealed, ALICE)).toBeUndefined();
  for (const forged of ['t', '', `:t`, sealed.slice(1), `${sealed}2`, sealed.replace(':', ';')]) {
    expect(unsealedId('b', forged, ALICE)).toBeUndefined();
  }
});

test('callers that nobody authenticated have ids without a seal', () => {
  expect(sealedId('b', 't:1', ANONYMOUS)).toBe('t:1');
  expect(unsealedId('b', 't:1', ANONYMOUS)).toBe('t:1');
});
