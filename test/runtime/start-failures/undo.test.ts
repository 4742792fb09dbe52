import { expect, test } from 'vitest';
import { openAll } from '../../../runtime/undo.ts';

test('what was opened is closed in reverse order when a later part cannot be opened', async () => {
  const closed: string[] = [];
  const opening = openAll(async undo => {
    undo.add(() => closed.push('first'));
    undo.add(async () => {
      await null;
      closed.push('second');
    });
    throw new Error('no third');
  });
  await expect(opening).rejects.toThrow('no third');
  expect(closed).toEqual(['second', 'first']);
});

test('a part that fails to close keeps neither the others open nor its error in the place of the cause', async () => {
  const closed: string[] = [];
  const opening = openAll(async undo => {
    undo.add(() => closed.push('first'));
    undo.add(() => {
      throw new Error('second does not close');
    });
    undo.add(() => Promise.reject(new Error('third does not close')));
    throw new Error('the cause');
  });
  await expect(opening).rejects.toThrow('the cause');
  expect(closed).toEqual(['first']);
});

test('nothing is closed when all parts are open, until the caller asks for it', async () => {
  const closed: string[] = [];
  const discard = await openAll(async undo => {
    undo.add(() => closed.push('only'));
    return () => undo.run();
  });
  expect(closed).toEqual([]);
  await discard();
  await discard();
  expect(closed).toEqual(['only']);
});
