import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeFolder } from '#shared/util';
import { temporaryFolder } from '../../support/process.ts';

test('makeFolder creates a folder and its parents, and keeps an existing folder', async () => {
  await using folder = await temporaryFolder();
  await makeFolder(folder.file('a/b/c'), { mode: 0o700 });
  for (const made of ['a', 'a/b', 'a/b/c']) expect((await stat(folder.file(made))).mode & 0o777).toBe(0o700);
  await mkdir(folder.file('a/b/c/kept'));
  await makeFolder(folder.file('a/b/c'));
  expect(existsSync(folder.file('a/b/c/kept'))).toBe(true);
  await makeFolder('/');
});

test('makeFolder fails if a file has the name of the folder or of a parent', async () => {
  await using folder = await temporaryFolder({ file: '' });
  await expect(makeFolder(folder.file('file'))).rejects.toMatchObject({ code: 'EEXIST', path: folder.file('file') });
  await expect(makeFolder(folder.file('file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.runIf(existsSync('/proc/self'))(
  'makeFolder fails below a folder that accepts no folders, instead of trying without end',
  async () => {
    await expect(makeFolder('/proc/lintel/out')).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/lintel' });
  },
);
