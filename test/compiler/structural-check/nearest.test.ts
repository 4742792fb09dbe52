import { expect, test } from 'vitest';
import { nearest } from '#compiler';

const ROWS: readonly (readonly [word: string, candidates: readonly string[], expected: string | undefined])[] = [
  ['nmae', ['type', 'name'], 'name'],
  ['grupRef', ['config', 'groupRef', 'podTemplateSpec'], 'groupRef'],
  ['grouprefs', ['groupRef'], 'groupRef'],
  ['NAME', ['nama', 'name'], 'name'],
  ['conflictResoluton', ['conflictResolution', 'conflictResolutionConfig'], 'conflictResolution'],
  ['manaul', ['prefix', 'priority', 'manual'], 'manual'],
  ['aa', ['ab', 'ac'], 'ab'],
  ['x', ['y'], undefined],
  ['X', ['x'], 'x'],
  ['frobnicate', ['name', 'type'], undefined],
  ['url', ['kind', 'spec'], undefined],
  ['', ['a'], undefined],
  ['name', [], undefined],
  ['a'.repeat(101), ['a'.repeat(101)], undefined],
];
test.each(ROWS)('%s among %j', (word, candidates, expected) => expect(nearest(word, candidates)).toBe(expected));
