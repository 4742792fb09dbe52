/** Files next to the server. */
import { execFileSync } from 'node:child_process';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeDigest } from '#schemas';
import { readFileBytes } from '../../../runtime/registry/sources/file-bytes.ts';
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

test('entries are listed by name, then version, with what the file says of them', async () => {
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

test('a byte order mark is no part of the text', async () => {
  const { contents } = await fileSource(`\uFEFF${sourceFile(server('io.example/a'))}`);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
});

test('the filter decides what is listed, and may leave nothing', async () => {
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

test('a mounted ConfigMap: a symbolic link moves', async () => {
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

test('the same content written again, or written in another way, changes nothing', async () => {
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

test('the revision is the digest of the lines that a bundle would have', async () => {
  const { contents } = await fileSource(sourceFile(server('io.example/a')));
  const line = JSON.stringify({
    publishedAt: null,
    server: server('io.example/a'),
    status: 'active',
    updatedAt: '2026-01-02T03:04:05.000Z',
  });
  expect(contents.snapshots.get('team')?.revision).toBe(computeDigest(`${line}\n`));
});

describe('what is no source file leaves the last good entries', () => {
  const twice = sourceFile(server('io.example/a'), server('io.example/a'));
  test.each<[string, string | Buffer, string]>([
    ['garbage', 'garbage', 'servers.json: is not JSON'],
    ['cut off', sourceFile(server('io.example/b')).slice(0, -10), 'servers.json: is not JSON'],
    ['empty', '', 'servers.json: is not JSON'],
    ['another format', '{"servers": []}', 'servers.json: needs data.servers'],
    ['no servers', sourceFile(), '/data/servers needs one server at least'],
    ['one bad server', sourceFile(server('io.example/b'), { name: 'io.example/c' }), '/data/servers/1'],
    ['a version twice', twice, 'is a second entry for version "1.0.0" of io.example/a'],
    ['not UTF-8', Buffer.from([0xff, 0xfe, 0x00]), 'servers.json: is not UTF-8'],
  ])('%s', async (_name, text, cause) => {
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
  ])('%s', async (_name, make, cause) => {
    const { contents, path } = await fileSource(sourceFile(server('io.example/a')));
    await rm(path);
    await make(path);
    await contents.refresh();
    expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
    expect(findSourceStatus(contents).message).toBe(`${path}: ${cause}`);
  });
});

describe('bytes of a file', () => {
  test.each([0, 1, 999, 1_000])('%i of at most 1000', async length => {
    const path = join(await writeFolder({ file: 'x'.repeat(length) }), 'file');
    expect((await readFileBytes(path, 1_000)).length).toBe(length);
  });

  test('one too many', async () => {
    const path = join(await writeFolder({ file: 'x'.repeat(1_001) }), 'file');
    await expect(readFileBytes(path, 1_000)).rejects.toThrow('has more than 1000 bytes');
  });

  // Files of /proc report a size of 0.
  test('of a file whose size is not known', async () => {
    expect((await readFileBytes('/proc/self/status', 100_000)).toString()).toContain('Pid:');
    await expect(readFileBytes('/proc/self/status', 10)).rejects.toThrow('has more than 10 bytes');
  });
});

test('while a large file is judged, others have their turn; an end in the middle lists nothing of it', async () => {
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
