import { expect, test } from 'vitest';
import { applyMutation, chooseMutations, findMutations } from './mutate.ts';

test.each<[string, string, string[]]>([
  ['the condition of an if', 'if (a > 1) b = 2;', ['if (!(a > 1)) b = 2;']],
  ['a conditional expression', 'const a = b ? 1 : 2;', ['const a = !(b) ? 1 : 2;']],
  ['&&', 'const a = b && c;', ['const a = b || c;']],
  ['||', 'const a = b || c;', ['const a = b && c;']],
  ['none for ??', 'const a = b ?? c;', []],
  ['a call', 'f(1);\ng = 2;', [';\ng = 2;']],
  ['an awaited call', 'async () => { await f(); };', ['async () => { ; };']],
  ['none for a call whose result is used', 'const a = f();', []],
  ['none for super', 'class A extends B { constructor() { super(); } }', []],
  [
    'nested mutations in the order of the text',
    'if (a && b) f();',
    ['if (!(a && b)) f();', 'if (a || b) f();', 'if (a && b) ;'],
  ],
])('`npm run test:mutations` finds the changes to make in a source text: %s', (_, text, expected) => {
  expect(findMutations('a.ts', text).map(mutation => applyMutation(text, mutation))).toEqual(expected);
});

test('`npm run test:mutations` chooses the same mutations for a seed each time, and each mutation once', () => {
  const all = findMutations('a.ts', 'f();\n'.repeat(100));
  const lines = (seed: number) => chooseMutations(all, 20, seed).map(({ line }) => line);
  expect(lines(1)).toEqual(lines(1));
  expect(lines(1)).not.toEqual(lines(2));
  expect(new Set(lines(1)).size).toBe(20);
  expect(chooseMutations(all, 1_000, 1)).toHaveLength(100);
});
