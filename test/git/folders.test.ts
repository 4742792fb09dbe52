import { expect, test } from 'vitest';
import { listFolders } from '../../git/folders.ts';

test.each<[paths: readonly string[], folders: readonly string[]]>([
  [[], []],
  [['a'], []],
  [['a/b', 'a/c'], ['a']],
  [
    ['a/b/c', 'a/d', 'e/f/g'],
    ['a', 'a/b', 'e', 'e/f'],
  ],
])('the folders of %j', (paths, folders) => {
  expect([...listFolders(paths)].sort()).toEqual(folders);
});

test('only the wanted number of folders is collected', () => {
  const deep = Array.from({ length: 5_000 }, (_, at) => `${at}/${'d/'.repeat(1_000)}a`);
  expect(listFolders(deep, 100).size).toBe(101);
});
