/** When one bundle replaces another, a registry server keeps the entries of unchanged sources and reads the others from the start. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeDigest, type RegistryFilterPlan, type RegistrySourcePlan } from '#schemas';
import { sendJson } from '../../support/raw-server.ts';
import {
  createSources,
  findSourceStatus,
  listed,
  readContents,
  server,
  source,
  sourceFile,
  TAKE_ALL,
  upstream,
  writeFolder,
} from './harness.ts';

/** An upstream with scripted responses. */
async function served(name = 'io.example/a') {
  const state = { text: sourceFile(server(name)) };
  const peer = await upstream((_, response) => sendJson(response, state.text));
  const plan = source({ type: 'url', url: `${peer.origin}/servers.json`, timeoutMs: 10_000 });
  return { state, peer, plan };
}

test('for an unchanged source, a new bundle serves the snapshot of the former bundle, without another request', async () => {
  const { peer, plan } = await served();
  const { contents: earlier } = await readContents([plan]);
  const before = earlier.snapshots.get('team');
  const { contents } = createSources([plan], { earlier });
  await contents.start();
  await contents.tried();
  await earlier.close();
  expect(contents.snapshots.get('team')).toBe(before);
  expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', servers: 1 });
  expect(peer.requests).toHaveLength(1);
});

test('the sources of the former bundle get the same new snapshots as those of the new bundle until the former sources are closed', async () => {
  const { state, plan } = await served();
  const { contents: earlier } = await readContents([plan]);
  const { contents } = createSources([plan], { earlier });
  await contents.start();
  const heard: string[] = [];
  earlier.onChange(() => heard.push('earlier'));
  contents.onChange(() => heard.push('later'));
  state.text = sourceFile(server('io.example/b'));
  await contents.refresh();
  expect(heard).toEqual(['earlier', 'later']);
  expect([listed(earlier), listed(contents)]).toEqual([['io.example/b@1.0.0'], ['io.example/b@1.0.0']]);
  await earlier.close();
  state.text = sourceFile(server('io.example/c'));
  await contents.refresh();
  expect(heard).toEqual(['earlier', 'later', 'later']);
  expect([listed(earlier), listed(contents)]).toEqual([['io.example/b@1.0.0'], ['io.example/c@1.0.0']]);
});

test('a refused bundle leaves the sources of the served bundle unchanged', async () => {
  const { state, plan } = await served();
  const { contents: earlier } = await readContents([plan]);
  const entries = { path: 'none.ndjson', digest: computeDigest(''), count: 0, origin: 'none.json' };
  const { contents } = createSources([plan, source({ type: 'bundled', entries }, { name: 'new' })], { earlier });
  await expect(contents.start()).rejects.toThrow('cannot be read (ENOENT)');
  await contents.close();
  state.text = sourceFile(server('io.example/b'));
  await earlier.refresh();
  expect(listed(earlier)).toEqual(['io.example/b@1.0.0']);
});

describe('changes of a source in a new bundle', () => {
  test.each<[string, (plan: RegistrySourcePlan) => RegistrySourcePlan, boolean, number]>([
    ['other claims need no reading', plan => ({ ...plan, claims: { org: ['a'] } }), true, 1],
    ['another interval counts for the next reading', plan => ({ ...plan, intervalMs: 9_000_000 }), true, 2],
    [
      'another timeout counts for the next reading',
      plan => ({ ...plan, from: { ...plan.from, timeoutMs: 7_000 } as never }),
      true,
      2,
    ],
    [
      'another URL needs a reading',
      plan => ({ ...plan, from: { ...plan.from, url: `${(plan.from as { url: string }).url}?x` } as never }),
      false,
      2,
    ],
  ])(
    'when a new bundle changes the plan of a source, the registry server reads the source again only if necessary: %s',
    async (_name, change, isListedAtOnce, requests) => {
      const { peer, plan } = await served();
      const { contents: earlier } = await readContents([plan]);
      const { contents } = createSources([change(plan)], { earlier });
      await contents.start();
      expect(listed(contents)).toEqual(isListedAtOnce ? ['io.example/a@1.0.0'] : []);
      await earlier.close();
      if (requests === 2) await contents.refresh();
      expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
      expect(peer.requests).toHaveLength(requests);
    },
  );

  const META = { 'io.modelcontextprotocol.registry/publisher-provided': { 'com.example': { x: { tags: ['db'] } } } };
  const NONE = TAKE_ALL.names;
  test.each<[string, RegistryFilterPlan, string[], string[]]>([
    ['a narrower filter', { ...TAKE_ALL, names: { include: [], exclude: ['*/b'] } }, ['a'], ['a', 'c']],
    ['a filter by tags', { names: NONE, tags: { include: ['db'], exclude: [] } }, ['b'], ['b']],
    ['a filter that takes nothing', { ...TAKE_ALL, names: { include: ['x'], exclude: [] } }, [], []],
    ['a wider filter, which lists more after the reading', TAKE_ALL, ['a', 'b'], ['a', 'b', 'c']],
  ])(
    'entries that the changed filter of a new bundle accepts stay listed until the source is read with this filter: %s',
    async (_name, filter, atOnce, then) => {
      const { state, peer, plan } = await served();
      const named = (names: string[]) => names.map(name => `io.example/${name}@1.0.0`);
      state.text = sourceFile(
        server('io.example/a'),
        server('io.example/b', '1.0.0', { _meta: META }),
        server('io.example/c'),
      );
      const stateDir = await writeFolder();
      const before = { ...TAKE_ALL, names: { include: [], exclude: ['*/c'] } };
      const { contents: earlier } = await readContents([{ ...plan, filter: before }], { stateDir });
      expect(listed(earlier)).toEqual(named(['a', 'b']));
      const { contents } = createSources([{ ...plan, filter }], { earlier, stateDir });
      await contents.start();
      await contents.tried();
      expect(listed(contents)).toEqual(named(atOnce));
      await earlier.close();
      await contents.refresh();
      expect(listed(contents)).toEqual(named(then));
      await contents.close();
      await peer.close();
      const { contents: restarted } = createSources([{ ...plan, filter }], { stateDir });
      await restarted.start();
      expect(listed(restarted)).toEqual(named(then));
    },
  );

  test('a source that has another name in the new bundle than in the former bundle counts as a different source', async () => {
    const { peer, plan } = await served();
    const { contents: earlier } = await readContents([plan]);
    const { contents } = createSources([{ ...plan, name: 'other' }], { earlier });
    await contents.start();
    expect(listed(contents, 'other')).toEqual([]);
    await contents.refresh();
    expect(listed(contents, 'other')).toEqual(['io.example/a@1.0.0']);
    expect([...contents.snapshots.keys()]).toEqual(['other']);
    expect(peer.requests).toHaveLength(2);
  });
});

test('a new bundle lists the entries of a source that the former bundle has already closed, and reads the source again', async () => {
  const { peer, plan } = await served();
  const { contents: earlier } = await readContents([plan]);
  await earlier.close();
  const { contents } = createSources([plan], { earlier });
  await contents.start();
  expect(listed(contents)).toEqual(['io.example/a@1.0.0']);
  await contents.refresh();
  expect(peer.requests).toHaveLength(2);
});

test('the registry server lists a bundled source with the entries in the new bundle, not those in the former bundle', async () => {
  const textOf = (name: string) =>
    `${JSON.stringify({ publishedAt: null, server: server(name), status: 'active', updatedAt: null })}\n`;
  const folder = await writeFolder({ 'one.ndjson': textOf('io.example/one'), 'two.ndjson': textOf('io.example/two') });
  const planOf = (name: string) =>
    source({
      type: 'bundled',
      entries: { path: `${name}.ndjson`, digest: computeDigest(textOf(`io.example/${name}`)), count: 1, origin: 'x' },
    });
  const { contents: one } = await readContents([planOf('one')], { folder });
  const { contents: two } = await readContents([planOf('two')], { folder, earlier: one });
  const { contents: same } = await readContents([planOf('two')], { folder: '/gone', earlier: two });
  expect([one, two, same].map(contents => listed(contents))).toEqual([
    ['io.example/one@1.0.0'],
    ['io.example/two@1.0.0'],
    ['io.example/two@1.0.0'],
  ]);
  await writeFile(join(folder, 'one.ndjson'), 'changed');
  expect(listed(one)).toEqual(['io.example/one@1.0.0']);
});

describe('closing the sources', () => {
  test('when the sources of a registry server are closed, a running reading ends, and the server lists none of its entries', async () => {
    let answer = () => {};
    const peer = await upstream((_, response) => {
      answer = () => sendJson(response, sourceFile(server('io.example/a')));
    });
    const plan = source({ type: 'url', url: peer.origin, timeoutMs: 60_000 });
    const { contents, log } = createSources([plan]);
    await contents.start();
    await peer.waitFor(() => true);
    await contents.close();
    answer();
    expect(listed(contents)).toEqual([]);
    expect(log.filter(({ level }) => level > 30)).toEqual([]);
  });

  test('the sources of a registry server read nothing when they are closed before their start has ended', async () => {
    const { peer, plan } = await served();
    const { contents } = createSources([plan], { stateDir: await writeFolder() });
    const started = contents.start();
    await contents.close();
    await started;
    await contents.refresh();
    expect(peer.requests).toHaveLength(0);
  });

  test('the sources of a registry server may be closed several times', async () => {
    const { plan } = await served();
    const { contents } = await readContents([plan]);
    await Promise.all([contents.close(), contents.close()]);
    await contents.close();
  });
});

test('the registry server makes a new map of the snapshots of its sources only when an entry has changed', async () => {
  const { state, plan } = await served();
  const { contents } = await readContents([plan]);
  const before = contents.snapshots;
  await contents.refresh();
  expect(contents.snapshots).toBe(before);
  state.text = sourceFile(server('io.example/b'));
  await contents.refresh();
  expect(contents.snapshots).not.toBe(before);
  expect(before.get('team')?.entries[0]?.name).toBe('io.example/a');
});
