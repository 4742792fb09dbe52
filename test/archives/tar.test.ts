/** Reads Lintel's tar archives with the machine's `tar`. */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listFiles, writeTar } from '../../build/archives/tar.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/process.ts';

const LONG = `${'folder/'.repeat(20)}${'name'.repeat(40)}-é.txt`;
const FILES = {
  'a.txt': 'a\n',
  'b/empty': '',
  'b/block': 'x'.repeat(512),
  'b/more': 'x'.repeat(513),
  'program.sh': '#!/bin/sh\n',
  [LONG]: 'long\n',
};

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder(Object.fromEntries(Object.entries(FILES).map(([path, text]) => [`in/${path}`, text])));
  chmodSync(folder.file('in/program.sh'), 0o755);
});
afterAll(() => folder[Symbol.asyncDispose]());

test.each(['archive.tar', 'archive.tgz'])(
  '%s contains each file, and no owner or time of the machine that wrote the archive',
  async name => {
    await writeTar(folder.file(name), listFiles(folder.file('in')));
    const tar = (...args: readonly string[]) =>
      execFileSync('tar', [...args, '--quoting-style=literal', '-f', folder.file(name)], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C.UTF-8' },
      });
    const listed = tar('-tv').trim().split('\n');
    expect(listed.map(line => line.split(/ +/).slice(0, 5).join(' '))).toEqual([
      '-rw-r--r-- 0/0 2 1970-01-01 00:00',
      '-rw-r--r-- 0/0 512 1970-01-01 00:00',
      '-rw-r--r-- 0/0 0 1970-01-01 00:00',
      '-rw-r--r-- 0/0 513 1970-01-01 00:00',
      '-rw-r--r-- 0/0 5 1970-01-01 00:00',
      '-rwxr-xr-x 0/0 10 1970-01-01 00:00',
    ]);
    expect(tar('-t').trim().split('\n')).toEqual(Object.keys(FILES).sort());
    for (const [path, text] of Object.entries(FILES)) expect(tar('-xO', path)).toBe(text);
  },
);

test('a tar archive of the same files has the same bytes, even if the files were written at another time', async () => {
  await writeTar(folder.file('one.tgz'), listFiles(folder.file('in')));
  await folder.write({ 'in/a.txt': FILES['a.txt'] });
  await writeTar(folder.file('two.tgz'), listFiles(folder.file('in')));
  expect(readFileSync(folder.file('two.tgz')).equals(readFileSync(folder.file('one.tgz')))).toBe(true);
});

test('writeTar can write bytes from memory, not only files from disk, into an archive, at a path inside of a folder', async () => {
  const files = [{ path: 'in-front/a', content: Buffer.from('bytes') }];
  await writeTar(folder.file('bytes.tar'), files);
  expect(execFileSync('tar', ['-xOf', folder.file('bytes.tar'), 'in-front/a'], { encoding: 'utf8' })).toBe('bytes');
});
