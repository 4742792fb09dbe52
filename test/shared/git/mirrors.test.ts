/** Old mirrors are deleted to make room for new ones. */
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { GitError, type Mirror, Mirrors } from '#shared/git';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

let folder: TemporaryFolder;
let path: string;
let count = 0;
const never = new AbortController().signal;

beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());
beforeEach(() => {
  count += 1;
  path = folder.file(`${count}`);
});

/** Fills a mirror, last used that many days ago, and returns its folder. */
async function fill(mirrors: Mirrors, url: string, bytes: number, daysAgo: number): Promise<string> {
  const repository = await use(mirrors, url, async ({ repository }) => {
    await folder.write({ [repository.slice(folder.path.length + 1)]: 'x'.repeat(bytes) });
    return repository;
  });
  const used = Date.now() / 1000 - daysAgo * 24 * 60 * 60;
  utimesSync(dirname(repository), used, used);
  return repository;
}

const use = <T>(mirrors: Mirrors, url: string, work: (mirror: Mirror) => Promise<T>) =>
  mirrors.use({ url, owner: 'team', withHistory: false }, never, work);

test('a Git mirror that was not used for a week is deleted', async () => {
  const mirrors = new Mirrors(path);
  const old = await fill(mirrors, 'old', 1, 8);
  const recent = await fill(mirrors, 'recent', 1, 6);
  expect([old, recent].map(existsSync)).toEqual([false, true]);
});

test('when all Git mirrors together exceed the size limit, those unused for the longest time are deleted first', async () => {
  const mirrors = new Mirrors(path, 250);
  const repositories = [];
  for (const [index, url] of ['a', 'b', 'c'].entries()) repositories.push(await fill(mirrors, url, 100, 3 - index));
  expect(repositories.map(existsSync)).toEqual([true, true, true]);
  await use(mirrors, 'd', async () => {});
  expect(repositories.map(existsSync)).toEqual([false, true, true]);
});

test('a Git mirror in use stays even if it exceeds the size limit', async () => {
  const mirrors = new Mirrors(path, 50);
  await use(mirrors, 'a', async ({ repository }) => {
    await writeFile(repository, 'x'.repeat(100));
    await use(mirrors, 'b', async () => {});
    expect(existsSync(repository)).toBe(true);
  });
});

test.each<[what: string, error: Error, isThrownAway: boolean]>([
  ['damage', new GitError('failed', 'x', 'y'), true],
  ['size', new GitError('too_large', 'x', 'y'), true],
  ['an unreachable server', new GitError('unreachable', 'x', 'y'), false],
  ['credentials', new GitError('credentials', 'x', 'y'), false],
  ['an unexpected error', new Error('x'), false],
])(
  'a Git mirror is deleted after a failed read only if it is damaged or too large: a read that failed by %s',
  async (_what, error, isThrownAway) => {
    const mirrors = new Mirrors(path);
    const repository = await fill(mirrors, 'a', 1, 0);
    const seen: boolean[] = [];
    const failed = use(mirrors, 'a', async ({ isNew }) => {
      seen.push(isNew);
      throw error;
    });
    await expect(failed).rejects.toBe(error);
    expect(seen).toEqual(isThrownAway ? [false, true] : [false]);
    expect(readdirSync(path)).toHaveLength(isThrownAway ? 0 : 1);
    expect(existsSync(repository)).toBe(!isThrownAway);
  },
);

test('a new Git mirror that could not be filled is deleted', async () => {
  const mirrors = new Mirrors(path);
  await expect(use(mirrors, 'a', () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(readdirSync(join(path))).toEqual([]);
});
