/** Reading files of a repository, on this machine and over HTTP. */
import { mkdirSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestRepository } from '../../support/git-repository.ts';
import { GitServer } from '../../support/git-server.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { read } from './reading.ts';

let folder: TemporaryFolder;
let server: GitServer;
let old: GitServer;
let repository: TestRepository;
let first: string;
let between: string;
let second: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  mkdirSync(folder.file('repositories'));
  repository = new TestRepository(folder.file('repositories'), 'catalog.git');
  first = repository.commit({ 'catalog/servers.json': 'first' });
  between = repository.commit({ 'catalog/servers.json': 'between' });
  second = repository.commit({ 'catalog/servers.json': 'second', 'with space/ü.json': 'odd' });
  repository.commit({ 'catalog/servers.json': 'elsewhere' }, 'team/next');
  repository.git(['update-ref', 'refs/tags/light', first]);
  repository.git(['tag', '-a', '-m', 'x', 'annotated', first]);
  const file = repository.git(['hash-object', '-w', '--stdin'], 'a file');
  repository.git(['update-ref', 'refs/tags/of-a-file', file]);
  server = await GitServer.start({ root: folder.file('repositories') });
  old = await GitServer.start({ root: folder.file('repositories'), isOld: true });
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await old[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const addresses: [kind: string, address: () => string][] = [
  ['a path', () => repository.path],
  ['a file URL', () => `file://${repository.path}`],
  ['HTTP', () => server.url('catalog.git')],
  ['a server without protocol version 2', () => old.url('catalog.git')],
];

describe.each(addresses)('%s', (kind, address) => {
  const path = 'catalog/servers.json';

  test(`a Git read of ${kind} gives the default branch`, async () => {
    expect(await read(folder, { repository: address(), path })).toEqual({ text: 'second', revision: second });
  });

  test.each([
    ['branch', 'team/next', 'elsewhere'],
    ['branch', 'main', 'second'],
    ['tag', 'light', 'first'],
    ['tag', 'annotated', 'first'],
  ] as const)(`a Git read of ${kind} gives the file at the %s %s`, async (type, name, text) => {
    expect(await read(folder, { repository: address(), path, ref: { type, name } })).toMatchObject({ text });
  });

  test(`a Git read of ${kind} gives a commit that no ref names`, async () => {
    const ref = { type: 'commit', name: between } as const;
    expect(await read(folder, { repository: address(), path, ref })).toEqual({ text: 'between', revision: between });
  });

  test(`a Git read of ${kind} gives a file whose path has a space and other characters`, async () => {
    expect(await read(folder, { repository: address(), path: 'with space/ü.json' })).toMatchObject({ text: 'odd' });
  });

  test.each([
    ['branch', 'nowhere', 'it has no branch "nowhere"; check the name, or create it'],
    ['tag', 'main', 'it has no tag "main"; check the name, or create it'],
    [
      'commit',
      '0123456789012345678901234567890123456789',
      'no branch and no tag leads to commit 0123456789012345678901234567890123456789; check the configuration of the source',
    ],
    ['tag', 'of-a-file', 'the ref does not lead to a commit; check the configuration of the source'],
  ] as const)(`a Git read of ${kind} reports a missing %s %s`, async (type, name, cause) => {
    const url = address().replace(/^\//, 'file:///');
    await expect(read(folder, { repository: address(), path, ref: { type, name } })).rejects.toThrow(
      `${url}: ${cause}`,
    );
  });
});

describe('a known commit', () => {
  test('a Git read of a known commit does not fetch the commit again', async () => {
    server.requests.length = 0;
    expect(await read(folder, { repository: server.url('catalog.git') }, { known: second })).toBe('unchanged');
    expect(server.requests.map(({ url }) => url)).not.toEqual([]);
    expect(server.requests.filter(({ url }) => url.endsWith('/git-upload-pack')).length).toBe(1);
  });

  test('a Git read of a commit id that the caller already has sends no request', async () => {
    server.requests.length = 0;
    const ref = { type: 'commit', name: first } as const;
    expect(await read(folder, { repository: server.url('catalog.git'), ref }, { known: first })).toBe('unchanged');
    expect(server.requests).toEqual([]);
  });

  test('a Git read of an annotated tag reports no change if the caller already knows the commit of the tag', async () => {
    const ref = { type: 'tag', name: 'annotated' } as const;
    expect(await read(folder, { repository: repository.path, ref }, { known: first })).toBe('unchanged');
  });
});

test('a Git read gives the files of a repository with SHA-256 ids', async () => {
  const long = new TestRepository(folder.file('repositories'), 'long.git', { objectFormat: 'sha256' });
  const commit = long.commit({ 'registry.json': 'long' });
  expect(commit).toHaveLength(64);
  for (const address of [long.path, server.url('long.git')]) {
    expect(await read(folder, { repository: address })).toEqual({ text: 'long', revision: commit });
    const ref = { type: 'commit', name: commit } as const;
    expect(await read(folder, { repository: address, ref })).toEqual({ text: 'long', revision: commit });
  }
});

test('a Git read of a commit id fetches the whole history from an old Git server that serves only commits with a branch or tag', async () => {
  const ref = { type: 'commit', name: between } as const;
  const fetches = async (of: GitServer) => {
    of.requests.length = 0;
    await read(folder, { repository: of.url('catalog.git'), path: 'catalog/servers.json', ref });
    return of.requests.filter(({ url }) => url.includes('/info/refs')).length;
  };
  expect(await fetches(server)).toBe(1);
  expect(await fetches(old)).toBe(2);
});

test('a Git read reports an empty repository', async () => {
  const empty = new TestRepository(folder.file('repositories'), 'empty.git');
  await expect(read(folder, { repository: empty.path })).rejects.toThrow(
    `file://${empty.path}: it has no commit on its default branch; check the address, or name a branch`,
  );
});

test('a Git read leaves no file of the repository in the cache folder', async () => {
  await read(folder, { repository: repository.path, path: 'catalog/servers.json' });
  await expect(read(folder, { repository: repository.path, path: 'nowhere' })).rejects.toThrow();
  expect(readdirSync(folder.file('cache'))).toEqual([]);
});
