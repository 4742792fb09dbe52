/** Commands show the progress of long work only on a terminal. */
import { expect, test } from 'vitest';
import { Progress } from '../../../compiler/commands/progress.ts';

function terminal({ isTTY = true, columns = 40 } = {}) {
  const written: string[] = [];
  return { written, stream: { isTTY, columns, write: (text: string) => written.push(text) > 0 } };
}

const ERASE = '\r\u001b[2K';

test('lintel shows no progress of short work, and one line that is redrawn and cleared for longer work', () => {
  let now = 0;
  const { written, stream } = terminal();
  {
    using progress = new Progress({ stream, env: {}, now: () => now });
    for (now = 0; now <= 600; now += 10) progress.step('checking objects', now / 10, 60, 'team/eng');
  }
  expect(written).toEqual([
    `${ERASE}checking objects: 40 of 60 (team/eng)`,
    `${ERASE}checking objects: 48 of 60 (team/eng)`,
    `${ERASE}checking objects: 56 of 60 (team/eng)`,
    ERASE,
  ]);
});

test('the progress line of lintel does not wrap, and names in it cannot move the cursor', () => {
  let now = 0;
  const { written, stream } = terminal({ columns: 30 });
  const progress = new Progress({ stream, env: {}, now: () => now });
  now = 1_000;
  progress.step('checking objects', 1, 2, `\u001b[2J${'x'.repeat(100)}`);
  expect(written).toEqual([`${ERASE}checking objects: 1 of 2 (\\u0`]);
  expect(written[0]).toHaveLength(ERASE.length + 29);
});

test.each<[what: string, isTTY: boolean, env: Record<string, string>]>([
  ['a pipe', false, {}],
  ['CI', true, { CI: 'true' }],
  ['a dumb terminal', true, { TERM: 'dumb' }],
])('lintel shows no progress in %s', (_, isTTY, env) => {
  let now = 0;
  const { written, stream } = terminal({ isTTY });
  const progress = new Progress({ stream, env, now: () => now });
  now = 10_000;
  progress.step('checking objects', 1, 2, 'a');
  progress.end();
  expect([progress.isShown, written]).toEqual([false, []]);
});
