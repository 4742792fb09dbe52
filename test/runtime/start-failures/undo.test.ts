import { expect, test } from 'vitest';
import { openAll } from '../../../runtime/undo.ts';

test('the runtime closes its opened parts in reverse order when a later part cannot be opened', async () => {
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

test('a part that fails to close does not hide the cause of a failed start, and the other parts are closed', async () => {
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

test('the runtime closes no part when all parts are open, until the caller asks to close them', async () => {
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
