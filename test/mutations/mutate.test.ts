import { expect, test } from 'vitest';
import { applyMutation, chooseMutations, findMutations } from './mutate.ts';

test.each<[string, string, string[]]>([
  ['an if', 'if (a > 1) b = 2;', ['if (!(a > 1)) b = 2;']],
  ['a conditional expression', 'const a = b ? 1 : 2;', ['const a = !(b) ? 1 : 2;']],
  ['&&', 'const a = b && c;', ['const a = b || c;']],
  ['||', 'const a = b || c;', ['const a = b && c;']],
  ['?? is left, since it decides by what is missing', 'const a = b ?? c;', []],
  ['a call', 'f(1);\ng = 2;', [';\ng = 2;']],
  ['an awaited call', 'async () => { await f(); };', ['async () => { ; };']],
  ['a call whose result is used is left', 'const a = f();', []],
  ['super is left', 'class A extends B { constructor() { super(); } }', []],
  [
    'nested ones, in the order of their places',
    'if (a && b) f();',
    ['if (!(a && b)) f();', 'if (a || b) f();', 'if (a && b) ;'],
  ],
])('%s', (_, text, expected) => {
  expect(findMutations('a.ts', text).map(mutation => applyMutation(text, mutation))).toEqual(expected);
});

test('a seed takes the same mutations each time, and each mutation once', () => {
  const all = findMutations('a.ts', 'f();\n'.repeat(100));
  const lines = (seed: number) => chooseMutations(all, 20, seed).map(({ line }) => line);
  expect(lines(1)).toEqual(lines(1));
  expect(lines(1)).not.toEqual(lines(2));
  expect(new Set(lines(1)).size).toBe(20);
  expect(chooseMutations(all, 1_000, 1)).toHaveLength(100);
});
