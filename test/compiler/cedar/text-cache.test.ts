import { expect, test } from 'vitest';
import { createTextCache } from '../../../compiler/analysis/cedar/text-cache.ts';

test('when the text cache is full, it drops the entries that were not used for the longest time', () => {
  const cache = createTextCache<number>(20);
  cache.set('aaaa', 1);
  cache.set('bbbbbb', 2);
  expect([cache.get('bbbbbb'), cache.get('aaaa'), cache.get('c')]).toEqual([2, 1, undefined]);
  cache.set('c', 3);
  expect(['aaaa', 'bbbbbb', 'c'].map(text => cache.has(text))).toEqual([true, false, true]);
});

test('the text cache counts the size of a text once, however often the text is set, and can hold an empty text', () => {
  const cache = createTextCache<number>(21);
  cache.set('aaaa', 0);
  cache.set('', 7);
  for (let round = 1; round <= 100; round += 1) cache.set('bbbbbb', round);
  expect([cache.get('aaaa'), cache.get(''), cache.get('bbbbbb')]).toEqual([0, 7, 100]);
});

test('the text cache does not store a text that is too long, and drops no other text for it', () => {
  const cache = createTextCache<number>(20);
  cache.set('aaaa', 1);
  cache.set('b'.repeat(11), 2);
  expect(['aaaa', 'b'.repeat(11)].map(text => cache.has(text))).toEqual([true, false]);
});
