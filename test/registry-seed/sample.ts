/** Declarations of tests to parse; nothing runs them. */
import { describe, test } from 'vitest';

const named = { row: 'named' };

test('alone', () => undefined);
test.skip('skipped', () => undefined);
test.todo('to be written');

describe('group', () => {
  test('inside', () => undefined);
  test.each([['one'], ['two', { row: 'named' }]])('%s of a table', () => {
    test('not declared where it stands', () => undefined);
  });
  test.each([named])(`a name with ${named.row} in it`, () => undefined);
});

describe.skip('skipped group', () => {
  test('inside of it', () => undefined);
});

describe.each(['a', 'b'])('%s', () => {
  test('in a table of groups', () => undefined);
});
