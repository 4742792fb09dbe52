/** From a GatewaySource to a folder on disk, for every kind of ref. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { TemporaryFolder } from '../../support/process.ts';
import { useServedRepositories } from './repositories.ts';
import { filesIn, findSource, never, repositoryIn } from './sources.ts';

const fixture = useServedRepositories();

let first: string;
let second: string;

beforeEach(() => {
  first = fixture.repository.commit({ 'gateway.yaml': 'first' });
  second = fixture.repository.commit({ 'gateway.yaml': 'second' });
});

const spec = (parts: object = {}) => findSource({ url: fixture.url, ...parts });

describe('the source follows', () => {
  beforeEach(() => {
    fixture.repository.commit({ 'gateway.yaml': 'elsewhere' }, 'team/next');
    for (const tag of ['v1.0.0', '1.2.0', 'v1.10.0', 'v2.0.0-rc.1', 'latest', 'v1.11'])
      fixture.repository.git(['update-ref', `refs/tags/${tag}`, first]);
    fixture.repository.git(['tag', '-a', '-m', 'x', 'v1.10.1', second]);
  });

  test.each<[what: string, ref: object | undefined, name: string | null, text: string]>([
    ['the default branch without a ref', undefined, 'main', 'second'],
    ['a branch', { branch: 'team/next' }, 'team/next', 'elsewhere'],
    ['a tag', { tag: 'v1.0.0' }, 'v1.0.0', 'first'],
    ['an annotated tag', { tag: 'v1.10.1' }, 'v1.10.1', 'second'],
    ['a version range', { semver: '>=1.0.0 <2.0.0' }, 'v1.10.1', 'second'],
    ['a version range of tags without v', { semver: '~1.2.0' }, '1.2.0', 'first'],
    ['a version range with pre-releases', { semver: '>=2.0.0-0' }, 'v2.0.0-rc.1', 'first'],
  ])('a source follows the ref in its spec: %s', async (_what, ref, name, text) => {
    const source = spec(ref === undefined ? {} : { ref });
    const tree = await repositoryIn(fixture.stateDir).fetchLatest(source, undefined, never);
    expect(tree.revision).toBe(`${name}@sha1:${tree.commit}`);
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': text });
    expect(Date.parse(tree.committedAt ?? '')).toBeLessThanOrEqual(Date.now());
  });

  test('the controller fetches a commit that no ref leads to', async () => {
    const tree = await repositoryIn(fixture.stateDir).fetchLatest(spec({ ref: { commit: first } }), undefined, never);
    expect(tree).toMatchObject({ revision: `sha1:${first}`, commit: first });
    expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'first' });
  });

  test.each<[what: string, ref: object, message: string]>([
    ['branch', { branch: 'nowhere' }, 'it has no branch "nowhere"; correct spec.ref, or create the ref'],
    ['tag', { tag: 'main' }, 'it has no tag "main"; correct spec.ref, or create the ref'],
    ['version', { semver: '^3.0.0' }, 'it has no tag with a version in the range of spec.ref.semver'],
    [
      'valid version range',
      { semver: 'newest' },
      'spec.ref.semver is not a range of versions; correct the spec of the source',
    ],
    ['commit', { commit: 'a'.repeat(40) }, `no branch and no tag leads to commit ${'a'.repeat(40)}`],
  ])('a source whose ref is a missing %s stalls', async (_what, ref, message) => {
    const fetched = repositoryIn(fixture.stateDir).fetchLatest(spec({ ref }), undefined, never);
    await expect(fetched).rejects.toMatchObject({ reason: 'FetchFailed', next: 'stalled' });
    await expect(fetched).rejects.toThrow(`${fixture.url}: ${message}`);
  });
});

describe('a cycle without a change', () => {
  test('a fetch without a new commit makes one connection and gives the same checkout', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const tree = await sources.fetchLatest(spec(), undefined, never);
    fixture.server.requests.length = 0;
    expect(await sources.fetchLatest(spec(), undefined, never)).toBe(tree);
    expect(fixture.server.requests.map(({ url }) => url.replace(/^.*\.git/, ''))).toEqual([
      '/info/refs?service=git-upload-pack',
      '/git-upload-pack',
    ]);
  });

  test('a fetch of a commit by its id makes no connection when the commit is checked out', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const source = spec({ ref: { commit: first } });
    const tree = await sources.fetchLatest(source, undefined, never);
    fixture.server.requests.length = 0;
    expect(await sources.fetchLatest(source, undefined, never)).toBe(tree);
    expect(fixture.server.requests).toEqual([]);
  });

  test('the controller checks a commit out again when spec.path has changed or the files on disk are gone', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const tree = await sources.fetchLatest(spec(), undefined, never);
    rmSync(tree.folder, { recursive: true });
    const again = await sources.fetchLatest(spec(), undefined, never);
    expect(filesIn(again.folder)).toEqual({ 'gateway.yaml': 'second' });
    fixture.repository.commit({ 'gateway.yaml': 'second', 'more/x.yaml': 'x' });
    const whole = await sources.fetchLatest(spec(), undefined, never);
    expect(filesIn((await sources.fetchLatest(spec({ path: 'more' }), undefined, never)).folder)).toEqual({
      'more/x.yaml': 'x',
    });
    expect(existsSync(whole.folder)).toBe(false);
    fixture.repository.git(['branch', 'same', 'main']);
    const named = await sources.fetchLatest(spec({ ref: { branch: 'same' } }), undefined, never);
    expect(named.revision).toMatch(/^same@sha1:/);
  });
});

test('the controller fetches only the new objects of a new commit, and removes the former checkout', async () => {
  const sources = repositoryIn(fixture.stateDir);
  fixture.repository.commit({ 'gateway.yaml': 'third', 'large.yaml': 'x'.repeat(100) });
  const before = await sources.fetchLatest(spec(), undefined, never);
  const head = fixture.repository.commit({ 'gateway.yaml': 'fourth', 'large.yaml': 'x'.repeat(100) });
  const after = await sources.fetchLatest(spec(), undefined, never);
  expect(after.commit).toBe(head);
  expect(filesIn(after.folder)['gateway.yaml']).toBe('fourth');
  expect(existsSync(before.folder)).toBe(false);
  expect(readdirSync(join(fixture.stateDir, 'work'))).toEqual([]);
});

test('the files of a checkout are readable only for the user of the controller, and none is executable', async () => {
  fixture.repository.commit({ 'run.sh': { mode: '100755', text: '#!/bin/sh' }, 'a/b.yaml': 'x' });
  const { folder } = await repositoryIn(fixture.stateDir).fetchLatest(spec(), undefined, never);
  const modeOf = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8);
  expect(['', 'a', 'a/b.yaml', 'run.sh'].map(modeOf)).toEqual(['700', '700', '600', '600']);
});

describe('the path', () => {
  beforeEach(() => {
    fixture.repository.commit({
      'lintel.yaml': 'catalog: locks/tools.json\nbaseline: ../outside.json\n',
      'lintel.lock.json': '{}',
      'team/lintel-baseline.json': '{}',
      'team/gateways/a.yaml': 'a',
      'team/gateways/b/c.yaml': 'c',
      'team/other/d.yaml': 'd',
      'locks/tools.json': '{}',
      'locks/tools.json2': '{}',
    });
  });

  test.each(['team/gateways', './team/gateways/', 'team/./gateways'])(
    'a checkout of spec.path %s has its files, and the project files of the folders above',
    async path => {
      const { folder } = await repositoryIn(fixture.stateDir).fetchLatest(spec({ path }), undefined, never);
      expect(Object.keys(filesIn(folder))).toEqual([
        'lintel.lock.json',
        'lintel.yaml',
        'locks/tools.json',
        'team/gateways/a.yaml',
        'team/gateways/b/c.yaml',
        'team/lintel-baseline.json',
      ]);
    },
  );

  test.each([
    ['team/nothing', 'team/nothing: no file is at this path; correct spec.path, or commit the folder'],
    [
      'team/gateway',
      'team/gateway: no file is at this path (did you mean team/gateways?); correct spec.path, or commit the folder',
    ],
    ['../x', 'GatewaySource team/gateways: spec.path is not a path of a folder in the repository'],
    ['/etc', 'GatewaySource team/gateways: spec.path is not a path of a folder in the repository'],
    ['--output=x', 'GatewaySource team/gateways: spec.path is not a path of a folder in the repository'],
    ['team/*', 'team/*: no file is at this path'],
    [':(top)', ':(top): no file is at this path'],
  ])('a source with the wrong spec.path %s stalls, and the error says why', async (path, message) => {
    const fetched = repositoryIn(fixture.stateDir).fetchLatest(spec({ path }), undefined, never);
    await expect(fetched).rejects.toMatchObject({ reason: 'FetchFailed', next: 'stalled' });
    await expect(fetched).rejects.toThrow(message);
  });
});

describe('a path whose last file is deleted', () => {
  const deleted = (status: object, parts: object = {}) => ({
    ...findSource({ url: fixture.url, path: 'gateways', ...parts }, { status }),
    metadata: { namespace: 'team', name: 'gateways', generation: 2 },
  });
  const inventory = { entries: [{ id: 'team_eng_lintel.dev_VirtualMCPServer', v: 'v1beta1', uid: 'u' }] };
  let full: string;
  let empty: string;

  beforeEach(() => {
    full = fixture.repository.commit({ 'gateways/eng.yaml': 'x', 'README.md': 'x' });
    empty = fixture.repository.commit({ 'README.md': 'x' });
  });

  test('the controller reads an empty folder when the last file at spec.path was deleted, if the applied revision had files there', async () => {
    const source = deleted({ lastAppliedRevision: `main@sha1:${full}`, inventory });
    const tree = await repositoryIn(fixture.stateDir).fetchLatest(source, undefined, never);
    expect(tree.commit).toBe(empty);
    expect(filesIn(tree.folder)).toEqual({});
    expect(existsSync(join(tree.folder, 'gateways'))).toBe(true);
  });

  test.each([
    ['when it has no applied objects', { entries: [] }, 'gateways'],
    ['while its applied objects are kept', inventory, './gateways/'],
  ])(
    'a source whose folder was deleted from the repository follows new commits with an empty folder %s',
    async (_, kept, lastAppliedPath) => {
      const status = { lastAppliedRevision: `main@sha1:${empty}`, lastAppliedPath, inventory: kept };
      const next = fixture.repository.commit({ 'README.md': 'y' });
      const tree = await repositoryIn(fixture.stateDir).fetchLatest(deleted(status), undefined, never);
      expect(tree.commit).toBe(next);
      expect(filesIn(tree.folder)).toEqual({});
    },
  );

  test.each([
    ['nothing was applied yet', () => deleted({})],
    [
      'the applied revision has other folders',
      () => deleted({ lastAppliedRevision: `main@sha1:${second}`, inventory }),
    ],
    [
      'the path was edited',
      () => deleted({ lastAppliedRevision: `main@sha1:${full}`, inventory }, { path: 'gatewais' }),
    ],
    [
      'the path was edited after all objects were deleted',
      () =>
        deleted({
          lastAppliedRevision: `main@sha1:${empty}`,
          lastAppliedPath: 'elsewhere',
          inventory: { entries: [] },
        }),
    ],
    [
      'the applied revision is of another repository',
      () => deleted({ lastAppliedRevision: `main@sha1:${'a'.repeat(40)}`, lastAppliedPath: 'gateways', inventory }),
    ],
  ])('a source whose spec.path does not exist stalls when %s', async (_, source) => {
    const fetched = repositoryIn(fixture.stateDir).fetchLatest(source(), undefined, never);
    await expect(fetched).rejects.toMatchObject({ reason: 'FetchFailed', next: 'stalled' });
    await expect(fetched).rejects.toThrow('no file is at this path; correct spec.path, or commit the folder');
  });
});

describe('a revision from before', () => {
  test('the controller checks out the previous revision from its mirror while the Git server is unavailable', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const { revision } = await sources.fetchLatest(spec(), undefined, never);
    fixture.repository.commit({ 'gateway.yaml': 'third' });
    const newest = await sources.fetchLatest(spec(), undefined, never);
    fixture.server.requests.length = 0;
    const tree = await sources.checkoutPrevious(spec(), revision, never);
    expect(fixture.server.requests).toEqual([]);
    expect(tree).toMatchObject({ revision, commit: second });
    expect(filesIn(tree?.folder ?? '')).toEqual({ 'gateway.yaml': 'second' });
    expect(filesIn(newest.folder)).toEqual({ 'gateway.yaml': 'third' });
    expect(await sources.checkoutPrevious(spec(), newest.revision, never)).toBe(newest);
  });

  test('the controller fetches the previous revision from the Git server after a restart without a mirror', async () => {
    const tree = await repositoryIn(fixture.stateDir).checkoutPrevious(spec(), `main@sha1:${first}`, never);
    expect(filesIn(tree?.folder ?? '')).toEqual({ 'gateway.yaml': 'first' });
  });

  test.each(['', 'main', `main@sha1:${'a'.repeat(40)}`])(
    'the controller checks out no previous revision for %j, which names no commit of the repository',
    async revision => {
      expect(await repositoryIn(fixture.stateDir).checkoutPrevious(spec(), revision, never)).toBeUndefined();
    },
  );
});

test('when the controller starts, it removes the files that a killed controller left behind', async () => {
  const leftovers = ['work/reading-x/identity', 'trees/x/y/gateway.yaml', 'mirrors/x/repository.git/HEAD'];
  await new TemporaryFolder(fixture.stateDir).write(Object.fromEntries(leftovers.map(path => [path, 'x'])));
  const sources = repositoryIn(fixture.stateDir);
  const [tree, other] = await Promise.all([
    sources.fetchLatest(spec(), undefined, never),
    sources.fetchLatest(findSource({ url: fixture.url }, { name: 'other' }), undefined, never),
  ]);
  expect(leftovers.filter(path => existsSync(join(fixture.stateDir, path)))).toEqual([leftovers[2]]);
  for (const { folder } of [tree, other]) expect(filesIn(folder)).toEqual({ 'gateway.yaml': 'second' });
});

test('the controller reads a local repository while a person works in it', async () => {
  const path = fixture.file('work');
  fixture.repository.git(['clone', '--quiet', fixture.repository.path, path]);
  await new TemporaryFolder(path).write({ 'gateway.yaml': 'not committed' });
  const tree = await repositoryIn(fixture.stateDir).fetchLatest(findSource({ url: path }), undefined, never);
  expect(filesIn(tree.folder)).toEqual({ 'gateway.yaml': 'second' });
});

test('the controller deletes the mirror and the checkout of a deleted source', async () => {
  const sources = repositoryIn(fixture.stateDir);
  const tree = await sources.fetchLatest(spec(), undefined, never);
  await sources.evict(spec());
  expect(existsSync(tree.folder)).toBe(false);
  const again = await sources.fetchLatest(spec(), undefined, never);
  expect(filesIn(again.folder)).toEqual({ 'gateway.yaml': 'second' });
});

describe('two sources on one repository', () => {
  test('sources of one namespace with the same repository share one mirror', async () => {
    const sources = repositoryIn(fixture.stateDir);
    const names = ['a', 'b', 'c', 'd'];
    const trees = await Promise.all(
      names.map((name, index) =>
        sources.fetchLatest(
          findSource({ url: fixture.url, ref: { commit: index % 2 === 0 ? first : second } }, { name }),
          undefined,
          never,
        ),
      ),
    );
    expect(trees.map(({ folder }) => filesIn(folder)['gateway.yaml'])).toEqual(['first', 'second', 'first', 'second']);
    expect(readdirSync(join(fixture.stateDir, 'mirrors'))).toHaveLength(1);
  });

  test('sources of two namespaces share no mirror', async () => {
    const sources = repositoryIn(fixture.stateDir);
    for (const namespace of ['a', 'b'])
      await sources.fetchLatest(findSource({ url: fixture.url }, { namespace }), undefined, never);
    expect(readdirSync(join(fixture.stateDir, 'mirrors'))).toHaveLength(2);
  });
});

describe('a mirror', () => {
  const mirror = () =>
    join(fixture.stateDir, 'mirrors', readdirSync(join(fixture.stateDir, 'mirrors'))[0] ?? '', 'repository.git');

  test.each<[what: string, damage: (path: string) => void]>([
    ['packs that are cut off', path => cutPacks(path)],
    ['a damaged config', path => writeFileSync(join(path, 'config'), 'x')],
    ['no HEAD', path => rmSync(join(path, 'HEAD'))],
    ['half a pack and locks of a fetch that was killed', path => leaveLocks(path)],
  ])('the controller repairs a mirror with %s', async (_what, damage) => {
    await repositoryIn(fixture.stateDir).fetchLatest(spec(), undefined, never);
    damage(mirror());
    const again = repositoryIn(fixture.stateDir);
    expect(filesIn((await again.fetchLatest(spec(), undefined, never)).folder)).toEqual({ 'gateway.yaml': 'second' });
    fixture.repository.commit({ 'gateway.yaml': 'third' });
    expect(filesIn((await again.fetchLatest(spec(), undefined, never)).folder)).toEqual({ 'gateway.yaml': 'third' });
    expect(readFileSync(join(mirror(), 'config'), 'utf8')).toContain('bare');
    expect(readdirSync(join(mirror(), 'objects/pack')).filter(name => name.startsWith('tmp_'))).toEqual([]);
  });

  test('the mirror of a repository has a limited number of pack files after many fetches', async () => {
    const sources = repositoryIn(fixture.stateDir);
    for (let index = 0; index < 30; index += 1) {
      fixture.repository.commit({ 'gateway.yaml': `${index}` });
      await sources.fetchLatest(spec(), undefined, never);
    }
    const packs = readdirSync(join(mirror(), 'objects/pack')).filter(name => name.endsWith('.pack'));
    expect(packs.length).toBeLessThan(21);
    const { folder } = await sources.fetchLatest(spec(), undefined, never);
    expect(filesIn(folder)).toEqual({ 'gateway.yaml': '29' });
  });

  test('a source with a repository that exceeds the size limit stalls, and its mirror is removed', async () => {
    const noise = Buffer.alloc(200_000);
    crypto.getRandomValues(noise.subarray(0, 60_000));
    fixture.repository.commit({ 'gateway.yaml': noise });
    const sources = repositoryIn(fixture.stateDir, {}, { limits: { repositoryBytes: 50_000 } });
    const fetched = sources.fetchLatest(spec(), undefined, never);
    await expect(fetched).rejects.toMatchObject({ reason: 'FetchFailed', next: 'stalled' });
    await expect(fetched).rejects.toThrow(`${fixture.url}: it has more than 50000 bytes`);
    expect(readdirSync(join(fixture.stateDir, 'mirrors'))).toEqual([]);
  });
});

function cutPacks(path: string): void {
  const packs = join(path, 'objects/pack');
  for (const name of readdirSync(packs)) {
    chmodSync(join(packs, name), 0o600);
    if (name.endsWith('.pack')) writeFileSync(join(packs, name), readFileSync(join(packs, name)).subarray(0, 40));
  }
}

function leaveLocks(path: string): void {
  writeFileSync(join(path, 'objects/pack/tmp_pack_x'), 'PACK');
  for (const name of ['shallow.lock', 'packed-refs.lock', 'HEAD.lock']) writeFileSync(join(path, name), '');
}

test('before its interval is over, a source causes no Git request unless it was edited or its checkout is missing', async () => {
  const sources = repositoryIn(fixture.stateDir);
  const known = await sources.fetchLatest(spec(), undefined, never);
  const third = fixture.repository.commit({ 'gateway.yaml': 'third' });
  expect(await sources.fetchLatest(spec(), undefined, never, { isDue: false })).toBe(known);
  expect((await sources.fetchLatest(spec({ ref: { commit: first } }), undefined, never, { isDue: false })).commit).toBe(
    first,
  );
  const newest = await sources.fetchLatest(spec(), undefined, never);
  expect(newest.commit).toBe(third);
  rmSync(newest.folder, { recursive: true });
  const fourth = fixture.repository.commit({ 'gateway.yaml': 'fourth' });
  expect((await sources.fetchLatest(spec(), undefined, never, { isDue: false })).commit).toBe(fourth);
});
