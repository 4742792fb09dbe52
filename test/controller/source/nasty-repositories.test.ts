/** Repositories with commits that no normal client makes, and servers with odd refs and objects. */
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenAfter, FaultyWire } from '../../support/faulty-wire.ts';
import { useServedRepositories } from './repositories.ts';
import { filesOrFailure, findSource, repositoryIn } from './sources.ts';

const fixture = useServedRepositories();

const source = (parts: object = {}) => findSource({ url: fixture.url, ...parts });
const mirrors = () => join(fixture.stateDir, 'mirrors');

const read = (sources: ReturnType<typeof repositoryIn>, parts: object = {}) => filesOrFailure(sources, source(parts));

function importFiles(files: Iterable<readonly [mode: string, path: string, text: string]>): void {
  const lines = Array.from(
    files,
    ([mode, path, text]) => `M ${mode} inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  );
  const head = 'commit refs/heads/main\ncommitter x <x@example.com> 0 +0000\ndata 1\nx\n';
  fixture.repository.git(['fast-import', '--quiet'], `${head}${lines.join('')}\n`);
}

describe('refs', () => {
  test('the controller distinguishes a branch, a tag and a folder of branches with the same name', async () => {
    const tagged = fixture.repository.commit({ 'a.yaml': 'tag' });
    fixture.repository.git(['update-ref', 'refs/tags/same', tagged]);
    fixture.repository.commit({ 'a.yaml': 'branch' }, 'same');
    fixture.repository.git([
      'update-ref',
      'refs/other/refs/heads/same',
      fixture.repository.commit({ 'a.yaml': 'other' }, 'x'),
    ]);
    fixture.repository.git([
      'update-ref',
      'refs/heads/refs/heads/same',
      fixture.repository.commit({ 'a.yaml': 'deep' }, 'y'),
    ]);
    const sources = repositoryIn(fixture.stateDir);
    expect(await read(sources, { ref: { branch: 'same' } })).toEqual({ 'a.yaml': 'branch' });
    expect(await read(sources, { ref: { tag: 'same' } })).toEqual({ 'a.yaml': 'tag' });
  });

  test('the controller follows a default branch whose name looks like an option, or is HEAD', async () => {
    const sources = repositoryIn(fixture.stateDir);
    for (const name of ['--upload-pack=touch', '-x', 'HEAD']) {
      fixture.repository.commit({ 'a.yaml': name }, name);
      fixture.repository.git(['symbolic-ref', 'HEAD', `refs/heads/${name}`]);
      expect(await read(sources)).toEqual({ 'a.yaml': name });
    }
  });

  test('a source with an empty repository or a missing default branch stalls until there is a commit', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const missing =
      'FetchFailed stalled: URL: it has no commit on its default branch; correct spec.ref, or create the ref';
    expect(await read(sources)).toBe(missing);
    fixture.repository.commit({ 'a.yaml': 'x' }, 'elsewhere');
    expect(await read(sources)).toBe(missing);
    fixture.repository.git(['symbolic-ref', 'HEAD', 'refs/heads/elsewhere']);
    expect(await read(sources)).toEqual({ 'a.yaml': 'x' });
  });

  test('the controller follows a branch that is deleted, created again without its history, and pushed backwards', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const first = fixture.repository.commit({ 'a.yaml': '1' });
    fixture.repository.commit({ 'a.yaml': '2' });
    expect(await read(sources, { ref: { branch: 'main' } })).toEqual({ 'a.yaml': '2' });
    fixture.repository.git(['update-ref', '-d', 'refs/heads/main']);
    expect(await read(sources, { ref: { branch: 'main' } })).toBe(
      'FetchFailed stalled: URL: it has no branch "main"; correct spec.ref, or create the ref',
    );
    fixture.repository.commit({ 'a.yaml': 'again' }, 'main', { parents: [] });
    expect(await read(sources, { ref: { branch: 'main' } })).toEqual({ 'a.yaml': 'again' });
    fixture.repository.git(['update-ref', 'refs/heads/main', first]);
    expect(await read(sources, { ref: { branch: 'main' } })).toEqual({ 'a.yaml': '1' });
  });

  test('the controller follows a tag of a tag to its commit, and a rewritten tag to its new commit', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const first = fixture.repository.commit({ 'a.yaml': '1' });
    fixture.repository.git(['tag', '-a', '-m', 'x', 'inner', first]);
    fixture.repository.git(['tag', '-a', '-m', 'x', 'outer', 'inner']);
    expect(await read(sources, { ref: { tag: 'outer' } })).toEqual({ 'a.yaml': '1' });
    fixture.repository.git(['tag', '-f', '-a', '-m', 'x', 'outer', fixture.repository.commit({ 'a.yaml': '2' })]);
    expect(await read(sources, { ref: { tag: 'outer' } })).toEqual({ 'a.yaml': '2' });
  });

  test.each([
    ['a folder', 'main^{tree}'],
    ['a file', 'main:a.yaml'],
  ])('a source stalls when its tag leads to %s instead of a commit', async (_what, object) => {
    fixture.repository.commit({ 'a.yaml': 'x' });
    fixture.repository.git(['tag', '-a', '-m', 'x', 'v1.0.0', object]);
    expect(await read(repositoryIn(fixture.stateDir), { ref: { semver: '^1' } })).toBe(
      'FetchFailed stalled: URL: the ref does not lead to a commit; correct spec.ref, or create the ref',
    );
  });

  test('a source stalls when the repository has too many refs that end in the name of the branch', async () => {
    const commit = fixture.repository.commit({ 'a.yaml': 'x' });
    const lines = Array.from({ length: 1_500 }, (_, at) => `create refs/x/${at}/refs/heads/main ${commit}\n`);
    fixture.repository.git(['update-ref', '--stdin'], lines.join(''));
    expect(await read(repositoryIn(fixture.stateDir), { ref: { branch: 'main' } })).toMatch(
      /^FetchFailed stalled: URL: it has too many refs whose names end in/,
    );
  });
});

describe('a repository that became another one', () => {
  test('the controller reads a repository that was replaced by a repository with SHA-256 ids', async () => {
    const sources = repositoryIn(fixture.stateDir);
    fixture.repository.commit({ 'a.yaml': 'short' });
    expect(await read(sources)).toEqual({ 'a.yaml': 'short' });
    fixture.replaceRepository({ objectFormat: 'sha256' });
    fixture.repository.commit({ 'a.yaml': 'long' });
    expect(await read(sources)).toEqual({ 'a.yaml': 'long' });
  });

  test('the controller ignores replace objects, grafts and a shallow history on the Git server', async () => {
    const first = fixture.repository.commit({ 'a.yaml': '1' });
    const second = fixture.repository.commit({ 'a.yaml': '2' });
    const evil = fixture.repository.commit({ 'a.yaml': 'evil' }, 'evil', { parents: [] });
    fixture.repository.git(['replace', second, evil]);
    expect(await read(repositoryIn(fixture.stateDir))).toEqual({ 'a.yaml': '2' });
    fixture.repository.git(['replace', '-d', second]);
    mkdirSync(join(fixture.repository.path, 'info'), { recursive: true });
    writeFileSync(join(fixture.repository.path, 'info/grafts'), `${second} ${evil}\n`);
    expect(await read(repositoryIn(`${fixture.stateDir}-grafts`))).toEqual({ 'a.yaml': '2' });
    rmSync(join(fixture.repository.path, 'info/grafts'));
    writeFileSync(join(fixture.repository.path, 'shallow'), `${second}\n`);
    expect(await read(repositoryIn(`${fixture.stateDir}-shallow`))).toEqual({ 'a.yaml': '2' });
    expect(first).not.toBe(second);
  });

  test('the controller reads a repository again after it was moved away and back', async () => {
    const sources = repositoryIn(fixture.stateDir);
    fixture.repository.commit({ 'a.yaml': '1' });
    await read(sources);
    renameSync(fixture.repository.path, `${fixture.repository.path}.away`);
    expect(await read(sources)).toBe(
      'FetchFailed stalled: URL: the repository does not exist, or this user may not see it; correct spec.url, and check whether spec.secretRef may read the repository',
    );
    cpSync(`${fixture.repository.path}.away`, fixture.repository.path, { recursive: true });
    expect(await read(sources)).toEqual({ 'a.yaml': '1' });
  });
});

test('the controller repeats an interrupted transfer, and keeps the former mirror', async () => {
  await using wire = await FaultyWire.start(fixture.server.origin);
  fixture.repository.commit({ 'a.yaml': '1' });
  const sources = repositoryIn(fixture.stateDir);
  const through = { url: wire.url(fixture.url) };
  expect(await read(sources, through)).toEqual({ 'a.yaml': '1' });
  const born = () => readdirSync(mirrors()).map(name => statSync(join(mirrors(), name, 'repository.git')).birthtimeMs);
  const before = born();
  fixture.repository.commit({ 'a.yaml': '2', noise: randomBytes(300_000) });
  wire.fault = brokenAfter(100_000);
  expect(await read(sources, through)).toMatch(
    /^FetchFailed retry: .*: it cannot be reached, or the connection broke off; /,
  );
  expect(born()).toEqual(before);
  wire.fault = bytes => bytes;
  expect(await read(sources, through)).toMatchObject({ 'a.yaml': '2' });
  expect(born()).toEqual(before);
});

describe('names', () => {
  test('the controller treats files whose names differ only in case or in Unicode form as different files', async () => {
    const files = { 'A.yaml': '1', 'a.yaml': '2', 'é.yaml': '3', 'e\u0301.yaml': '4', 'ﬁ.yaml': '5', 'fi.yaml': '6' };
    fixture.repository.commit(files);
    expect(await read(repositoryIn(fixture.stateDir))).toEqual(files);
  });

  test('the controller reads files whose names other systems take for .git as ordinary files', async () => {
    const files = {
      'git~1/config': 'x',
      '.g\u200cit/config': 'y',
      '.git::$INDEX_ALLOCATION': 'z',
      'con.yaml': 'c',
      'a\\..\\b': 'd',
    };
    importFiles(Object.entries(files).map(([path, text]) => ['100644', path, text] as const));
    expect(await read(repositoryIn(fixture.stateDir))).toEqual(files);
  });
});

describe('trees that cost more than they hold', () => {
  /** Nested folders, each with many entries for the next one, without a single file. */
  function treeBomb(width: number, depth: number): string {
    let tree = fixture.repository.git(['mktree'], '');
    for (let level = 0; level < depth; level++) {
      const lines = Array.from({ length: width }, (_, at) => `040000 tree ${tree}\t${at}\n`);
      tree = fixture.repository.git(['mktree'], lines.join(''));
    }
    return tree;
  }

  const commitTree = (tree: string) =>
    fixture.repository.git(['update-ref', 'refs/heads/main', fixture.repository.git(['commit-tree', tree], 'x')]);

  test('the controller gives up listing a Git tree of ten thousand million folders, and reads the next commit', async () => {
    commitTree(treeBomb(10, 10));
    const sources = repositoryIn(
      fixture.stateDir,
      {},
      { treeLimits: { files: 100, fileBytes: 100, totalBytes: 100, listMs: 500 } },
    );
    expect(await read(sources)).toBe(
      'FetchFailed stalled: URL at ID: its folders could not be listed within 0.5 s, perhaps because folders are nested many times; check which folders the newest commits add',
    );
    fixture.repository.commit({ 'a.yaml': 'x' });
    expect(await read(sources)).toEqual({ 'a.yaml': 'x' });
  });

  test('the controller refuses a small Git tree that stands for ten thousand million files because its folders repeat', async () => {
    let tree = fixture.repository.git(
      ['mktree'],
      `100644 blob ${fixture.repository.git(['hash-object', '-w', '--stdin'], 'x')}\tx\n`,
    );
    for (let level = 0; level < 10; level++) {
      const lines = Array.from({ length: 10 }, (_, at) => `040000 tree ${tree}\t${at}\n`);
      tree = fixture.repository.git(['mktree'], lines.join(''));
    }
    commitTree(tree);
    expect(await read(repositoryIn(fixture.stateDir))).toBe(
      'FetchFailed stalled: URL at ID: there are more than 20000 files; give the path of the folder that has the specs',
    );
  });

  test('the controller refuses a file two thousand folders deep because its name is too long', async () => {
    const deep = `${'d/'.repeat(2_000)}a.yaml`;
    fixture.repository.git(
      ['fast-import', '--quiet'],
      `commit refs/heads/main\ncommitter x <x@example.com> 0 +0000\ndata 1\nx\nM 100644 inline ${deep}\ndata 1\nx\n`,
    );
    expect(await read(repositoryIn(fixture.stateDir))).toMatch(/: its name is too long; shorten it$/);
  });

  test('a tree of ten thousand million folders outside of spec.path does not slow the controller down', async () => {
    const specs = fixture.repository.git(
      ['mktree'],
      `100644 blob ${fixture.repository.git(['hash-object', '-w', '--stdin'], 'x')}\ta.yaml\n`,
    );
    const bomb = treeBomb(10, 10);
    commitTree(fixture.repository.git(['mktree'], `040000 tree ${bomb}\tbomb\n040000 tree ${specs}\tspecs\n`));
    expect(await read(repositoryIn(fixture.stateDir), { path: 'specs' })).toEqual({ 'specs/a.yaml': 'x' });
  });
});

describe('trees that would hold all sources up', () => {
  /** The longest time that the process is blocked; milliseconds. */
  async function longestPause(work: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }, 5);
    await work();
    clearInterval(timer);
    return Math.max(longest, performance.now() - last);
  }

  test('thousands of symbolic links that each lead through many other links do not block the controller', async () => {
    const way = 'd/../'.repeat(380);
    const link = (at: number) =>
      ['120000', `l${at}`, at === 0 ? `${way}d/a.yaml` : `${way}l${at % 38 === 0 ? 0 : at - 1}`] as const;
    importFiles([['100644', 'd/a.yaml', 'x'], ...Array.from({ length: 4_000 }, (_, at) => link(at))]);
    let said: unknown;
    const pause = await longestPause(async () => {
      said = await read(repositoryIn(fixture.stateDir));
    });
    expect(said).toMatch(/^FetchFailed stalled: URL at ID, l\d+: it is a symbolic link over too many other links/);
    expect(pause).toBeLessThan(10_000);
  });

  test('a repository with thousands of nested folders does not block the controller', async () => {
    importFiles(Array.from({ length: 300 }, (_, at) => ['100644', `${at}/${'d/'.repeat(1_000)}a.yaml`, 'x'] as const));
    expect(await read(repositoryIn(fixture.stateDir))).toBe(
      'FetchFailed stalled: URL at ID: there are more than 20000 folders; give the path of the folder that has the specs',
    );
  });
});

describe('the project file above the path, which no worker reads', () => {
  test('the controller immediately refuses a lintel.yaml of many megabytes', async () => {
    fixture.repository.commit({ 'lintel.yaml': `- [${'[],'.repeat(3_000_000)}]\n`, 'specs/a.yaml': 'a' });
    expect(await read(repositoryIn(fixture.stateDir), { path: 'specs' })).toBe(
      'FetchFailed stalled: URL at ID, lintel.yaml: it has 9000005 bytes, and a project file has at most 131072; move accepted findings into a baseline',
    );
  });

  test.each<[what: string, text: string]>([
    ['with many names', Array.from({ length: 10_000 }, (_, at) => `a${at}: 1\n`).join('')],
    ['with the same name many times', 'a: 1\n'.repeat(26_000)],
    ['of question marks alone', '? '.repeat(60_000)],
    ['with aliases of aliases', aliases()],
    ['with lists nested 100,000 deep', '['.repeat(100_000)],
    ['with a tag of code', 'catalog: !!js/function "process.exit()"\n'],
    ['that names files elsewhere', 'catalog: ../../../etc/passwd\nbaseline: /etc/passwd\n'],
  ])('a hostile lintel.yaml does not block the controller: a file %s', async (_what, text) => {
    fixture.repository.commit({ 'lintel.yaml': text, 'specs/a.yaml': 'a' });
    const before = performance.now();
    expect(await read(repositoryIn(fixture.stateDir), { path: 'specs' })).toEqual({
      'lintel.yaml': text,
      'specs/a.yaml': 'a',
    });
    expect(performance.now() - before).toBeLessThan(20_000);
  });
});

/** Nine lists, each with nine references to the one before. */
function aliases(): string {
  const lists = Array.from(
    { length: 9 },
    (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]\n`,
  );
  return `a0: &a0 [x]\n${lists.join('')}`;
}
