/** Repositories that are large in some way: the controller limits how much it reads of them, and how much it stores on disk. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { useServedRepositories } from './repositories.ts';
import { filesOrFailure, findSource, repositoryIn } from './sources.ts';

const fixture = useServedRepositories();

const read = (parts: object = {}) =>
  filesOrFailure(repositoryIn(fixture.stateDir), findSource({ url: fixture.url, timeout: '5m', ...parts }));

/** The number of bytes that the controller has stored on disk. */
function keptBytes(): number {
  return readdirSync(fixture.stateDir, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test('the controller refuses a folder with a hundred thousand files, and reads a smaller folder of the same repository', async () => {
  const files = Array.from({ length: 100_000 }, (_, at) => `M 100644 inline all/${at % 100}/${at}.yaml\ndata 1\nx\n`);
  const specs = 'M 100644 inline specs/a.yaml\ndata 1\na\n';
  fixture.repository.git(
    ['fast-import', '--quiet'],
    `commit refs/heads/main\ncommitter x <x@example.com> 0 +0000\ndata 1\nx\n${files.join('')}${specs}\n`,
  );
  expect(await read()).toBe(
    'FetchFailed stalled: URL at ID: there are more than 20000 files; give the path of the folder that has the specs',
  );
  expect(await read({ path: 'specs' })).toEqual({ 'specs/a.yaml': 'a' });
});

test('the controller refuses a compressed file of 500 MB, and reads another folder of the same repository', async () => {
  const large = fixture.folder.file('large');
  writeFileSync(large, '');
  truncateSync(large, 500_000_000);
  const id = fixture.repository.git(['hash-object', '-w', large]);
  const specs = fixture.repository.git(
    ['mktree'],
    `100644 blob ${fixture.repository.git(['hash-object', '-w', '--stdin'], 'a')}\ta.yaml\n`,
  );
  const tree = fixture.repository.git(['mktree'], `100644 blob ${id}\tlarge.yaml\n040000 tree ${specs}\tspecs\n`);
  fixture.repository.git(['update-ref', 'refs/heads/main', fixture.repository.git(['commit-tree', tree], 'x')]);
  expect(await read()).toBe(
    'FetchFailed stalled: URL at ID, large.yaml: it has 500000000 bytes, and at most 67108864 are read; give the path of the folder that has the specs',
  );
  expect(await read({ path: 'specs' })).toEqual({ 'specs/a.yaml': 'a' });
  expect(keptBytes()).toBeLessThan(2_000_000);
});

test('the controller reports a repository with folders nested so deep that git crashes, and reads the next commit', async () => {
  const objects: (readonly [type: number, bytes: Buffer])[] = [];
  const add = (name: string, type: number, bytes: Buffer): Buffer => {
    objects.push([type, bytes]);
    return createHash('sha1').update(`${name} ${bytes.length}\0`).update(bytes).digest();
  };
  const blob = add('blob', 3, Buffer.from('x'));
  let tree = add('tree', 2, Buffer.concat([Buffer.from('100644 a.yaml\0'), blob]));
  for (let depth = 0; depth < 100_000; depth++) tree = add('tree', 2, Buffer.concat([Buffer.from('40000 d\0'), tree]));
  const by = 'x <x@example.com> 0 +0000';
  const commit = add('commit', 1, Buffer.from(`tree ${tree.toString('hex')}\nauthor ${by}\ncommitter ${by}\n\nx\n`));
  fixture.repository.git(['index-pack', '--stdin'], packOf(objects));
  fixture.repository.git(['update-ref', 'refs/heads/main', commit.toString('hex')]);
  // The server's process crashes first, and on a busy machine it is too slow before that.
  expect(await read()).toMatch(
    /: (?:git crashed on it|the server cannot read all of it; |it cannot be reached, or the connection broke off; )/,
  );
  fixture.repository.commit({ 'a.yaml': 'x' }, 'main', { parents: [] });
  expect(await read()).toEqual({ 'a.yaml': 'x' });
});

/**
 * Whole objects in sequence.
 *
 * @see https://git-scm.com/docs/gitformat-pack
 */
function packOf(objects: readonly (readonly [type: number, bytes: Buffer])[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK', 0, 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts = [head];
  for (const [type, bytes] of objects) {
    const size: number[] = [(type << 4) | (bytes.length & 15)];
    for (let rest = bytes.length >> 4; rest > 0; rest >>= 7) {
      size.push((size.pop() ?? 0) | 128, rest & 127);
    }
    parts.push(Buffer.from(size), deflateSync(bytes, { level: 1 }));
  }
  const pack = Buffer.concat(parts);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}
