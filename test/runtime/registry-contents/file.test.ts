/** How a registry server reads entries from files on its own disk. */
import { execFileSync } from 'node:child_process';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeDigest } from '#schemas';
import { readFileBytes } from '../../../runtime/bundle/file-bytes.ts';
import {
  findSourceStatus,
  listed,
  readContents,
  server,
  source,
  sourceFile,
  TAKE_ALL,
  writeFolder,
} from './harness.ts';

async function fileSource(text: string | Buffer, filter = TAKE_ALL) {
  const folder = await writeFolder();
  const path = join(folder, 'servers.json');
  await writeFile(path, text);
  const { contents, log } = await readContents([source({ type: 'file', path }, { filter })]);
  return { contents, log, path, folder };
}

test('the registry server lists the entries of a file by name and version, with their metadata', async () => {
  const meta = { 'io.modelcontextprotocol.registry/publisher-provided': { 'com.example': { x: { tags: ['db'] } } } };
  const { contents } = await fileSource(
    sourceFile(
      server('io.example/b', '10.0.0'),
      server('io.example/B'),
      server('io.example/b', '9.0.0', { _meta: meta }),
    ),
  );
  expect(listed(contents)).toEqual(['io.example/B@1.0.0', 'io.example/b@10.0.0', 'io.example/b@9.0.0']);
  const last = contents.snapshots.get('team')?.entries[2];
  expect(last).toMatchObject({
    tags: ['db'],
    status: 'active',
    publishedAt: null,
    updatedAt: '2026-01-02T03:04:05.000Z',
  });
  expect(JSON.parse(Buffer.from(last?.json ?? []).toString())).toEqual(
    server('io.example/b', '9.0.0', { _meta: meta }),
  );
});

test('the registry server ignores a byte order mark at the beginning of a source file', async () => {
  const { contents } = await fileSource(`\uFEFF${sourceFile(server('io.example/a'))}`);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
});

test('the filter of a file source decides which entries are listed, and may leave none', async () => {
  const filter = { ...TAKE_ALL, names: { include: ['io.example/*'], exclude: ['*/internal'] } };
  const { contents, path } = await fileSource(
    sourceFile(server('io.example/a'), server('io.example/internal'), server('com.example/a')),
    filter,
  );
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
  await writeFile(path, sourceFile(server('com.example/a')));
  await contents.refresh();
  expect(listed(contents)).toEqual([]);
  expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', message: '', servers: 0 });
});

test('the registry server reads a file source again when the symbolic link of its mounted ConfigMap moves', async () => {
  const folder = await writeFolder({
    'one/servers.json': sourceFile(server('io.example/one')),
    'two/servers.json': sourceFile(server('io.example/two')),
  });
  await symlink('one', join(folder, 'data'));
  const { contents } = await readContents([source({ type: 'file', path: join(folder, 'data/servers.json') })]);
  expect(listed(contents)).toEqual(['io.example/one@1.0.0']);
  await symlink('two', join(folder, 'next'));
  await rename(join(folder, 'next'), join(folder, 'data'));
  await contents.refresh();
  expect(listed(contents)).toEqual(['io.example/two@1.0.0']);
});

test('the snapshot of a file source stays the same object when the file is written again with the same entries', async () => {
  const text = sourceFile(server('io.example/a'));
  const { contents, path } = await fileSource(text);
  const before = contents.snapshots;
  await writeFile(path, text);
  await contents.refresh();
  await writeFile(path, JSON.stringify(JSON.parse(text), null, 2));
  await contents.refresh();
  expect(contents.snapshots).toBe(before);
  expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', attempts: 0 });
});

test('the revision of a file source is the digest of the lines that its entries would have in a bundle', async () => {
  const { contents } = await fileSource(sourceFile(server('io.example/a')));
  const line = JSON.stringify({
    publishedAt: null,
    server: server('io.example/a'),
    status: 'active',
    updatedAt: '2026-01-02T03:04:05.000Z',
  });
  expect(contents.snapshots.get('team')?.revision).toBe(computeDigest(`${line}\n`));
});

describe('invalid source files', () => {
  const twice = sourceFile(server('io.example/a'), server('io.example/a'));
  test.each<[string, string | Buffer, string]>([
    ['not JSON', 'garbage', 'servers.json: is not JSON'],
    ['incomplete', sourceFile(server('io.example/b')).slice(0, -10), 'servers.json: is not JSON'],
    ['empty', '', 'servers.json: is not JSON'],
    ['of another format', '{"servers": []}', 'servers.json: needs data.servers'],
    ['without servers', sourceFile(), '/data/servers needs one server at least'],
    ['with an invalid server', sourceFile(server('io.example/b'), { name: 'io.example/c' }), '/data/servers/1'],
    ['with a version twice', twice, 'is a second entry for version "1.0.0" of io.example/a'],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), 'servers.json: is not UTF-8'],
  ])('the registry server keeps the last good entries when its source file is %s', async (_name, text, cause) => {
    const { contents, path } = await fileSource(sourceFile(server('io.example/a')));
    const before = contents.snapshots;
    await writeFile(path, text);
    await contents.refresh();
    expect(contents.snapshots).toBe(before);
    expect(findSourceStatus(contents)).toMatchObject({ phase: 'failed', attempts: 1, servers: 1 });
    expect(findSourceStatus(contents).message).toContain(cause);
    await writeFile(path, sourceFile(server('io.example/new')));
    await contents.refresh();
    expect(listed(contents)).toEqual(['io.example/new@1.0.0']);
    expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', attempts: 0, message: '' });
  });

  test.each<[string, (path: string) => Promise<unknown> | unknown, string]>([
    ['no file', () => {}, 'cannot be read (ENOENT)'],
    ['a directory', path => symlink('.', path), 'is not a file'],
    // Opening it would wait for a writer forever.
    ['a pipe', path => void execFileSync('mkfifo', [path]), 'is not a file'],
    ['a device that never ends', path => symlink('/dev/zero', path), 'is not a file'],
    ['a link to itself', path => symlink('servers.json', path), 'cannot be read (ELOOP)'],
  ])(
    'the registry server keeps the last good entries when the path of its source file leads to %s',
    async (_name, make, cause) => {
      const { contents, path } = await fileSource(sourceFile(server('io.example/a')));
      await rm(path);
      await make(path);
      await contents.refresh();
      expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
      expect(findSourceStatus(contents).message).toBe(`${path}: ${cause}`);
    },
  );
});

describe('bytes of a file', () => {
  test.each([0, 1, 999, 1_000])('readFileBytes reads a file of %i bytes with a limit of 1000', async length => {
    const path = join(await writeFolder({ file: 'x'.repeat(length) }), 'file');
    expect((await readFileBytes(path, 1_000)).length).toBe(length);
  });

  test('readFileBytes refuses a file of 1001 bytes with a limit of 1000', async () => {
    const path = join(await writeFolder({ file: 'x'.repeat(1_001) }), 'file');
    await expect(readFileBytes(path, 1_000)).rejects.toThrow('has more than 1000 bytes');
  });

  // Files of /proc report a size of 0.
  test('readFileBytes reads a file of unknown size up to its limit', async () => {
    expect((await readFileBytes('/proc/self/status', 100_000)).toString()).toContain('Pid:');
    await expect(readFileBytes('/proc/self/status', 10)).rejects.toThrow('has more than 10 bytes');
  });
});

test('other tasks run while the registry server validates a large file, and closing the source meanwhile discards the file', async () => {
  const many = Array.from({ length: 5_000 }, (_, number) => server(`io.example/server-${number}`));
  const { contents, path } = await fileSource(sourceFile(server('io.example/a')));
  await writeFile(path, sourceFile(...many));
  let isOver = false;
  let turns = 0;
  const take = (): void => {
    turns++;
    if (!isOver) setImmediate(take);
  };
  take();
  await contents.refresh();
  isOver = true;
  expect(listed(contents)).toHaveLength(5_000);
  expect(turns).toBeGreaterThan(50);
  await writeFile(path, sourceFile(server('io.example/a'), ...many));
  const reading = contents.refresh();
  await contents.close();
  await reading;
  expect(findSourceStatus(contents)).toMatchObject({ servers: 5_000, message: '' });
});
