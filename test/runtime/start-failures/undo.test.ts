import { expect, test } from 'vitest';
import { openAll } from '../../../runtime/undo.ts';

test('when a step of the start of the runtime fails, the runtime closes what it had opened, in reverse order', async () => {
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

test('an error while closing does not hide the cause of a failed start, and the runtime closes everything else that it has opened', async () => {
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

test('after a successful start, the runtime closes nothing that it has opened until its caller asks for it', async () => {
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
