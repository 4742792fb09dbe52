import { lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { writeFiles } from '#compiler';
import { temporaryFolder } from '../../support/process.ts';

test('lintel build refuses to write behind a link that leads out of the output folder', async () => {
  await using folder = await temporaryFolder({ 'outside/own.txt': 'own' });
  await mkdir(folder.file('out'));
  await symlink('../outside', folder.file('out/bundles'));
  const written = writeFiles(folder.file('out'), [{ path: 'bundles/deep/a.json', text: '{}' }]);
  await expect(written).rejects.toThrow(/out\/bundles\/deep is behind a link that leads out of the folder/);
  expect(await readdir(folder.file('outside'))).toEqual(['own.txt']);
});

test.each([
  ['index.json', '{}'],
  ['index.json', 'own'],
  [`index.json.${process.pid}.tmp`, '{}'],
])('lintel build replaces a link at %s, and does not write to its target', async (link, text) => {
  await using folder = await temporaryFolder({ 'outside/own.txt': 'own' });
  await mkdir(folder.file('out'));
  await symlink('../outside/own.txt', folder.file(`out/${link}`));
  await writeFiles(folder.file('out'), [{ path: 'index.json', text }]);
  expect(await readFile(folder.file('outside/own.txt'), 'utf8')).toBe('own');
  expect((await lstat(folder.file('out/index.json'))).isFile()).toBe(true);
  expect(await readFile(folder.file('out/index.json'), 'utf8')).toBe(text);
  expect(await readdir(folder.file('out'))).toEqual(['index.json']);
});

test('lintel build writes into an output folder that is a link, and follows links within the folder', async () => {
  await using folder = await temporaryFolder({ 'real/deep/own.txt': 'own' });
  await symlink('real', folder.file('out'));
  await symlink('deep', folder.file('real/near'));
  await writeFiles(folder.file('out'), [{ path: 'near/a.json', text: '{}' }]);
  expect(await readFile(folder.file('real/deep/a.json'), 'utf8')).toBe('{}');
});
