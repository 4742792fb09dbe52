/** Commits that try to write something other than plain files. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TreeEntry } from '../../support/git-repository.ts';
import { useRepositories } from './repositories.ts';
import { filesIn, findSource, never, repositoryIn } from './sources.ts';

const fixture = useRepositories();

const newest = (parts: object = {}, options = {}) =>
  repositoryIn(fixture.stateDir, {}, options).fetchLatest(
    findSource({ url: fixture.repository.path, ...parts }),
    undefined,
    never,
  );

const link = (text: string): TreeEntry => ({ mode: '120000', text });

/** Commits trees that git's index refuses. */
function commitTree(...entries: readonly [mode: string, type: string, id: string, name: string | Buffer][]): void {
  const lines = entries.flatMap(([mode, type, id, name]) => [
    Buffer.from(`${mode} ${type} ${id}\t`),
    Buffer.from(name),
    Buffer.from([0]),
  ]);
  commitId(fixture.repository.git(['mktree', '-z', '--missing'], Buffer.concat(lines)));
}

/** A tree byte by byte, for names that `mktree` refuses. */
function commitRawTree(...entries: readonly [mode: string, id: string, name: string][]): void {
  const parts = entries.flatMap(([mode, id, name]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
  commitId(fixture.repository.git(['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'], Buffer.concat(parts)));
}

function commitId(tree: string): void {
  fixture.repository.git(['update-ref', 'refs/heads/main', fixture.repository.git(['commit-tree', tree], 'x')]);
}

const blob = (text = 'x') => fixture.repository.git(['hash-object', '-w', '--stdin'], text);
const treeOf = (name: string, id: string) => fixture.repository.git(['mktree'], `100644 blob ${id}\t${name}\n`);

async function expectBadTree(fetched: Promise<unknown>, message: string | RegExp): Promise<void> {
  await expect(fetched).rejects.toMatchObject({ reason: 'FetchFailed', next: 'stalled' });
  await expect(fetched).rejects.toThrow(message);
  // Neither a part of the tree, nor temporary files.
  expect(
    readdirSync(join(fixture.stateDir, 'trees')).flatMap(name => readdirSync(join(fixture.stateDir, 'trees', name))),
  ).toEqual([]);
}

describe('symbolic links', () => {
  test('the controller keeps symbolic links to files within the checkout', async () => {
    fixture.repository.commit({
      'specs/a.yaml': link('../common/a.yaml'),
      'specs/folder': link('./../common'),
      'specs/again.yaml': link('folder/a.yaml'),
      'common/a.yaml': 'a',
    });
    const tree = await newest();
    expect(readlinkSync(join(tree.folder, 'specs/a.yaml'))).toBe('../common/a.yaml');
    expect(filesIn(tree.folder)).toMatchObject({ 'specs/a.yaml': 'a', 'specs/again.yaml': 'a' });
  });

  test.each<[what: string, entries: Readonly<Record<string, TreeEntry>>, message: string]>([
    [
      'to a file of the machine',
      { 'a.yaml': link('/etc/passwd') },
      'a.yaml: it is a symbolic link that leads out of the repository',
    ],
    [
      'above the root of the repository',
      { 'a/b.yaml': link('../../x') },
      'a/b.yaml: it is a symbolic link that leads out of the repository',
    ],
    [
      'above the root by way of another link',
      { 'd/e/f.yaml': 'x', 'd/e/g/h.yaml': 'x', short: link('d'), 'a.yaml': link('short/../../x') },
      'a.yaml: it is a symbolic link that leads out of the repository',
    ],
    [
      'to the root and from there above the root',
      { 'd/up': link('..'), 'a.yaml': link('d/up/../x') },
      'a.yaml: it is a symbolic link that leads out of the repository',
    ],
    [
      'to a missing file',
      { 'a.yaml': link('nothing.yaml') },
      'a.yaml: it is a symbolic link to a target that is not below the path',
    ],
    ['in a circle', { a: link('b'), b: link('a') }, 'a: it is a symbolic link in a circle'],
    ['with no target', { 'a.yaml': link('') }, 'a.yaml: it is a symbolic link that leads out of the repository'],
    ['that is too long', { 'a.yaml': link('x/'.repeat(5000)) }, 'a.yaml: it is a symbolic link that is too long'],
  ])('the controller refuses a symbolic link %s', async (_what, entries, message) => {
    fixture.repository.commit(entries);
    await expectBadTree(newest(), message);
  });

  test('the controller refuses a symbolic link to a file outside of spec.path, and the error says why', async () => {
    fixture.repository.commit({ 'specs/a.yaml': link('../common/a.yaml'), 'common/a.yaml': 'a' });
    await expectBadTree(newest({ path: 'specs' }), 'to a target that is not below the path of the source');
  });

  test('the controller leaves out bad symbolic links in folders that it does not read', async () => {
    fixture.repository.commit({ '.tools/x': link('/etc'), 'node_modules/.bin/x': link('../../../..'), 'a.yaml': 'a' });
    expect(filesIn((await newest()).folder)).toEqual({ 'a.yaml': 'a' });
  });

  test('the controller refuses a symbolic link that leads through a bad link', async () => {
    fixture.repository.commit({ '.tools/x': link('/etc'), 'a.yaml': link('.tools/x/passwd') });
    await expectBadTree(newest(), 'a.yaml: it is a symbolic link that leads out');
  });
});

describe('names', () => {
  test.each(['..', '.', '.git', '.GIT'])('the controller refuses a file named %s', async name => {
    commitRawTree(['100644', blob(), name]);
    await expectBadTree(newest(), /: a file must not have this name/);
  });

  test.each(['.git', '..'])('the controller refuses a folder named %s', async name => {
    commitRawTree(['40000', treeOf('config', blob()), name]);
    await expectBadTree(newest(), /: a file must not have this name/);
  });

  test('the controller refuses a file name with slashes', async () => {
    commitRawTree(['100644', blob(), '/etc/x.yaml']);
    await expectBadTree(newest(), /: a file must not have this name/);
  });

  test('the controller writes nothing through a link that has the same name as a folder', async () => {
    const outside = fixture.folder.file('outside');
    mkdirSync(outside, { recursive: true });
    commitRawTree(['120000', blob(outside), 'a'], ['40000', treeOf('x.yaml', blob()), 'a']);
    await expectBadTree(newest(), /a: /);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('the controller refuses a folder that has the same file name twice', async () => {
    commitRawTree(['100644', blob('1'), 'a.yaml'], ['100644', blob('2'), 'a.yaml']);
    await expectBadTree(newest(), 'a.yaml: the folder has this name twice');
  });

  test('the controller refuses a file name that is not UTF-8', async () => {
    commitTree(['100644', 'blob', blob(), Buffer.from([0xe4, 0x2e, 0x79])]);
    await expectBadTree(newest(), 'ä.y: its name is not UTF-8; rename it');
  });

  test('the controller refuses a file name that is longer than file systems allow', async () => {
    commitTree(['100644', 'blob', blob(), 'x'.repeat(300)]);
    await expectBadTree(newest(), 'its name is too long');
  });

  test('the error about a file shows its name without control characters', async () => {
    commitTree(['160000', 'commit', 'a'.repeat(40), '\u001b[2Jx']);
    await expectBadTree(newest(), '?[2Jx: it is a submodule');
  });

  test('the controller reads files whose names look like options or have line breaks', async () => {
    fixture.repository.commit({ '--help': 'a', '-rf/x.yaml': 'b', 'line\nbreak.yaml': 'c', ':(top)x': 'd' });
    expect(filesIn((await newest()).folder)).toEqual({
      '--help': 'a',
      '-rf/x.yaml': 'b',
      ':(top)x': 'd',
      'line\nbreak.yaml': 'c',
    });
  });
});

describe('submodules', () => {
  test('the controller refuses a submodule below spec.path', async () => {
    fixture.repository.commit({
      'specs/more': { commit: 'a'.repeat(40) },
      '.gitmodules': '[submodule "x"]\n\turl = /etc\n',
    });
    await expectBadTree(newest(), 'specs/more: it is a submodule, which is not fetched');
  });

  test('the controller ignores a submodule outside of spec.path or in a folder that it does not read', async () => {
    fixture.repository.commit({
      'specs/a.yaml': 'a',
      '.theme': { commit: 'a'.repeat(40) },
      docs: { commit: 'b'.repeat(40) },
    });
    expect(filesIn((await newest({ path: 'specs' })).folder)).toEqual({ 'specs/a.yaml': 'a' });
    fixture.repository.commit({ 'specs/a.yaml': 'a', '.theme': { commit: 'a'.repeat(40) } });
    expect(filesIn((await newest()).folder)).toEqual({ 'specs/a.yaml': 'a' });
  });
});

describe('programs', () => {
  test('the controller runs no filters and hooks of a repository, and checks files out byte by byte', async () => {
    const marker = fixture.file('marker');
    const program = fixture.file('program');
    writeFileSync(program, `#!/bin/sh\ntouch '${marker}'\ncat\n`, { mode: 0o755 });
    fixture.repository.git(['config', 'filter.evil.smudge', program]);
    mkdirSync(join(fixture.repository.path, 'hooks'), { recursive: true });
    for (const name of ['post-checkout', 'reference-transaction', 'post-merge'])
      writeFileSync(join(fixture.repository.path, 'hooks', name), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    fixture.repository.commit({
      '.gitattributes': '* filter=evil text eol=crlf ident export-subst export-ignore\n',
      '.gitconfig': `[core]\n\tfsmonitor = ${program}\n`,
      'a.yaml': 'a: $Id$ $Format:%H$\n',
      'windows.yaml': 'a\r\n',
    });
    // The reader created a repository.
    rmSync(marker, { force: true });
    const { folder: tree } = await newest();
    expect(existsSync(marker)).toBe(false);
    expect(filesIn(tree)).toMatchObject({ 'a.yaml': 'a: $Id$ $Format:%H$\n', 'windows.yaml': 'a\r\n' });
    expect(Object.keys(filesIn(tree))).toContain('.gitattributes');
  });

  test('the controller checks a TypeScript file out like other files and does not run it', async () => {
    fixture.repository.commit({
      'specs/main.ts': `import { writeFileSync } from 'node:fs'; writeFileSync('${fixture.folder.file('ran')}', '');`,
    });
    const { folder: tree } = await newest();
    expect(lstatSync(join(tree, 'specs/main.ts')).mode & 0o777).toBe(0o600);
    expect(existsSync(fixture.folder.file('ran'))).toBe(false);
  });
});

test('the controller refuses a spec in Git LFS, and accepts other files in Git LFS', async () => {
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
  fixture.repository.commit({ 'picture.png': pointer });
  expect(filesIn((await newest()).folder)).toEqual({ 'picture.png': pointer });
  fixture.repository.commit({ 'a.yaml': pointer });
  const fetched = newest();
  await expect(fetched).rejects.toThrow('a.yaml: the file is in Git LFS, which is not read; commit the file itself');
});

describe('too much', () => {
  const treeLimits = { files: 3, fileBytes: 100, totalBytes: 250 };

  test('the controller reads a tree that is exactly at the limits for files and bytes', async () => {
    fixture.repository.commit({ a: 'x'.repeat(100), b: 'y'.repeat(100), c: 'z'.repeat(50) });
    expect(Object.keys(filesIn((await newest({}, { treeLimits })).folder))).toEqual(['a', 'b', 'c']);
  });

  test.each<[what: string, entries: Readonly<Record<string, string>>, message: string]>([
    [
      'too many files',
      { a: '1', b: '2', c: '3', d: '4' },
      ': there are more than 3 files; give the path of the folder that has the specs',
    ],
    ['too large a file', { 'x/a': 'x'.repeat(101) }, ', x/a: it has 101 bytes, and at most 100 are read'],
    [
      'too many bytes in all',
      { a: 'x'.repeat(100), b: 'y'.repeat(100), c: 'z'.repeat(51) },
      ': the files have 251 bytes, and at most 250 are read',
    ],
  ])('the controller refuses a tree with %s', async (_what, entries, message) => {
    fixture.repository.commit(entries);
    await expectBadTree(newest({}, { treeLimits }), message);
  });

  test('the controller refuses a tree whose list of file names is too long', async () => {
    fixture.repository.commit(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${'x'.repeat(200)}${index}`, ''])),
    );
    await expectBadTree(newest({}, { treeLimits }), ': there are more than 3 files');
  });

  test('the controller reads thousands of files, and files that do not fit in memory together', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => [`${index % 50}/${index}.yaml`, `${index}`] as const);
    const blobs = new Map(many.map(([path, text]) => [path, text]));
    const input = many
      .map(([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
      .join('');
    const large = 'x'.repeat(9 * 1024 * 1024);
    const largeInput = ['l1', 'l2', 'l3']
      .map(name => `M 100644 inline ${name}\ndata ${large.length}\n${large}\n`)
      .join('');
    fixture.repository.git(
      ['fast-import', '--quiet'],
      `commit refs/heads/main\ncommitter x <x@example.com> 0 +0000\ndata 1\nx\n${input}${largeInput}\n`,
    );
    const files = filesIn((await newest()).folder);
    expect(Object.keys(files)).toHaveLength(3003);
    for (const [path, text] of blobs) expect(files[path]).toBe(text);
    expect(files.l3?.length).toBe(large.length);
  });
});
