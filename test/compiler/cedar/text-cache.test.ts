import { expect, test } from 'vitest';
import { TextCache } from '../../../compiler/cedar/text-cache.ts';

const kept = (cache: TextCache<number>, texts: readonly string[]) => texts.filter(text => cache.has(text));

test('texts are remembered up to the ceiling, then all are forgotten', () => {
  const cache = new TextCache<number>(20);
  cache.set('aaaa', 1);
  cache.set('bbbbbb', 2);
  expect([cache.get('aaaa'), cache.get('bbbbbb'), cache.get('c')]).toEqual([1, 2, undefined]);
  cache.set('c', 3);
  expect(kept(cache, ['aaaa', 'bbbbbb', 'c'])).toEqual(['c']);
});

test('one text many times counts once', () => {
  const cache = new TextCache<number>(20);
  cache.set('aaaa', 0);
  for (let round = 1; round <= 100; round += 1) cache.set('bbbbbb', round);
  expect([cache.get('aaaa'), cache.get('bbbbbb')]).toEqual([0, 100]);
});

test('a text above the ceiling is not kept, and costs the others nothing', () => {
  const cache = new TextCache<number>(20);
  cache.set('aaaa', 1);
  cache.set('b'.repeat(11), 2);
  expect(kept(cache, ['aaaa', 'b'.repeat(11)])).toEqual(['aaaa']);
});
