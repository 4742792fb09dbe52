import { expect, test } from 'vitest';
import { listFolders } from '../../../shared/git/folders.ts';

test.each<[paths: readonly string[], folders: readonly string[]]>([
  [[], []],
  [['a'], []],
  [['a/b', 'a/c'], ['a']],
  [
    ['a/b/c', 'a/d', 'e/f/g'],
    ['a', 'a/b', 'e', 'e/f'],
  ],
])('listFolders returns exactly the folders that contain the files %j', (paths, folders) => {
  expect([...listFolders(paths)].sort()).toEqual(folders);
});

test('listFolders returns at most one folder more than its limit, however deep the file paths are', () => {
  const deep = Array.from({ length: 5_000 }, (_, at) => `${at}/${'d/'.repeat(1_000)}a`);
  expect(listFolders(deep, 100).size).toBe(101);
});
