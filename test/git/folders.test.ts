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
])('the list of folders has exactly the folders above the file paths %j', (paths, folders) => {
  expect([...listFolders(paths)].sort()).toEqual(folders);
});

test('the list of folders of a Git tree stops soon after the given limit', () => {
  const deep = Array.from({ length: 5_000 }, (_, at) => `${at}/${'d/'.repeat(1_000)}a`);
  expect(listFolders(deep, 100).size).toBe(101);
});
