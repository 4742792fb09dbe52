/** The garbage of many compilations is collected between two of them, and rarely. */
import { expect, test } from 'vitest';
import { CompilationGarbage } from '../../../compiler/language-server/compilation-garbage.ts';

test('the language server collects garbage after its first compilation, and again after each further 100 MB of garbage', () => {
  const MB = 1_000_000;
  let used = 250 * MB;
  const collected: number[] = [];
  const leftBehind = new CompilationGarbage(
    () => used,
    () => {
      collected.push(used / MB);
      used = 90 * MB;
    },
  );
  for (let change = 0; change < 120; change++) {
    leftBehind.collectIfMuch();
    used += 2 * MB;
  }
  expect(collected).toEqual([250, 190, 190]);
});

test('the language server leaves a small amount of garbage to V8', () => {
  const leftBehind = new CompilationGarbage(
    () => 90_000_000,
    () => expect.unreachable(),
  );
  expect(leftBehind.collectIfMuch()).toBe(false);
});
