/** A registry server that restarts while an upstream is unavailable lists the entries that it stored before. */
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RegistrySourcePlan } from '#schemas';
import { sendJson } from '../../support/raw-server.ts';
import {
  createSources,
  findSourceStatus,
  listed,
  page,
  readContents,
  server,
  source,
  sourceFile,
  TAKE_ALL,
  upstream,
  writeFolder,
} from './harness.ts';

/** A folder with the stored entries of one source, whose upstream is gone. */
async function leftBehind(rest: Partial<RegistrySourcePlan> = {}, headers: Record<string, string> = {}) {
  const peer = await upstream((request, response) => {
    const isKnown = headers.etag !== undefined && request.headers['if-none-match'] === headers.etag;
    if (isKnown) response.writeHead(304).end();
    else
      sendJson(
        response,
        sourceFile(server('io.example/b', '1.0.0', { title: 'Ünicode' }), server('io.example/a')),
        headers,
      );
  });
  const stateDir = join(await writeFolder(), 'state');
  const plan = source({ type: 'url', url: `${peer.origin}/servers.json`, timeoutMs: 10_000 }, rest);
  const first = await readContents([plan], { stateDir, now: () => Date.UTC(2026, 0, 1) });
  await first.contents.close();
  return { stateDir, plan, peer, first: first.contents, file: join(stateDir, 'team.ndjson') };
}

test('a restarted registry server lists the entries that it kept on disk before any upstream answers', async () => {
  const { stateDir, plan, peer, first } = await leftBehind();
  await peer.close();
  const { contents, log } = createSources([plan], { stateDir, now: () => Date.UTC(2026, 0, 2) });
  await contents.start();
  expect(contents.snapshots).toEqual(first.snapshots);
  expect(listed(contents)).toEqual(['io.example/a@1.0.0', 'io.example/b@1.0.0']);
  expect(findSourceStatus(contents)).toMatchObject({
    phase: 'syncing',
    servers: 2,
    lastSync: '2026-01-01T00:00:00.000Z',
    isFromDisk: true,
  });
  await contents.tried();
  await contents.refresh();
  expect(findSourceStatus(contents)).toMatchObject({
    phase: 'failed',
    servers: 2,
    attempts: 1,
    lastSync: '2026-01-01T00:00:00.000Z',
    lastAttempt: '2026-01-02T00:00:00.000Z',
    isFromDisk: true,
  });
  expect(log.map(({ msg }) => msg)).toEqual(['the source cannot be read; the entries that were read last stay listed']);
});

test('a restarted registry server does not download an unchanged file of an upstream again', async () => {
  const { stateDir, plan, peer } = await leftBehind({}, { etag: '"v1"' });
  const { contents } = await readContents([plan], { stateDir, now: () => Date.UTC(2026, 0, 2) });
  expect(peer.requests.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
  expect(listed(contents)).toHaveLength(2);
  expect(findSourceStatus(contents)).toMatchObject({
    phase: 'complete',
    lastSync: '2026-01-02T00:00:00.000Z',
    isFromDisk: false,
  });
});

test('the registry server keeps on disk the entries of api, url and file sources, and nothing of a failed source', async () => {
  const peer = await upstream((request, response) => {
    if (request.path === '/bad') sendJson(response, '{}');
    else
      sendJson(
        response,
        request.path.startsWith('/v0.1') ? page([server('io.example/a')]) : sourceFile(server('io.example/b')),
      );
  });
  const folder = await writeFolder({ 'servers.json': sourceFile(server('io.example/c')) });
  const stateDir = join(folder, 'state', 'below');
  const plans = [
    source({ type: 'api', endpoint: peer.origin, timeoutMs: 10_000 }, { name: 'api' }),
    source({ type: 'url', url: peer.origin, timeoutMs: 10_000 }, { name: 'url' }),
    source({ type: 'url', url: `${peer.origin}/bad`, timeoutMs: 10_000 }, { name: 'bad' }),
    source({ type: 'file', path: join(folder, 'servers.json') }, { name: 'file' }),
  ];
  const { contents } = await readContents(plans, { stateDir });
  await contents.close();
  await peer.close();
  expect((await readdir(stateDir)).sort()).toEqual(['api.ndjson', 'file.ndjson', 'url.ndjson']);
  const again = createSources(plans, { stateDir }).contents;
  await again.start();
  expect(['api', 'url', 'bad', 'file'].map(name => listed(again, name))).toEqual([
    ['io.example/a@1.0.0'],
    ['io.example/b@1.0.0'],
    [],
    ['io.example/c@1.0.0'],
  ]);
});

test('only the owner may read the files of entries that the registry server keeps on disk, and no temporary file remains', async () => {
  const { stateDir, file } = await leftBehind();
  expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(stateDir)).toEqual(['team.ndjson']);
});

test('the registry server replaces the temporary file that a killed process has left', async () => {
  const folder = await writeFolder({
    'servers.json': sourceFile(server('io.example/a')),
    'state/team.ndjson.tmp': 'half',
  });
  const stateDir = join(folder, 'state');
  await readContents([source({ type: 'file', path: join(folder, 'servers.json') })], { stateDir });
  expect(await readdir(stateDir)).toEqual(['team.ndjson']);
  expect((await stat(join(stateDir, 'team.ndjson'))).mode & 0o777).toBe(0o600);
});

test('a later successful reading of a source replaces its entries that the registry server keeps on disk', async () => {
  const folder = await writeFolder({ 'servers.json': sourceFile(server('io.example/a')) });
  const path = join(folder, 'servers.json');
  const stateDir = join(folder, 'state');
  const plan = source({ type: 'file', path });
  const { contents } = await readContents([plan], { stateDir });
  await writeFile(path, sourceFile(server('io.example/b')));
  await contents.refresh();
  await writeFile(path, 'broken');
  await contents.refresh();
  await contents.close();
  const again = createSources([plan], { stateDir }).contents;
  await again.start();
  expect(listed(again)).toEqual(['io.example/b@1.0.0']);
});

test('a restarted registry server still reports the invalid entries that it left out before the restart', async () => {
  const peer = await upstream((_, response) => sendJson(response, page([server('io.example/a'), { name: 'x' }])));
  const stateDir = await writeFolder();
  const plan = source({ type: 'api', endpoint: peer.origin, timeoutMs: 10_000 });
  await (await readContents([plan], { stateDir })).contents.close();
  await peer.close();
  const { contents } = createSources([plan], { stateDir });
  await contents.start();
  expect(findSourceStatus(contents).message).toContain('1 of 2 servers is not valid, and left out');
});

describe('kept entries after a change of the plan', () => {
  const OTHER = 'it belongs to another configuration of the source';
  test.each<[string, (plan: RegistrySourcePlan) => RegistrySourcePlan, number]>([
    ['another interval', plan => ({ ...plan, intervalMs: 7_000_000 }), 2],
    ['another timeout', plan => ({ ...plan, from: { ...plan.from, timeoutMs: 20_000 } as never }), 2],
    ['other claims', plan => ({ ...plan, claims: { org: ['x'] } }), 2],
    ['another filter', plan => ({ ...plan, filter: { ...TAKE_ALL, tags: { include: [], exclude: ['x'] } } }), 0],
    ['another URL', plan => ({ ...plan, from: { ...plan.from, url: 'http://127.0.0.1:9/x' } as never }), 0],
    ['another kind', plan => ({ ...plan, from: { type: 'file', path: '/nowhere' } }), 0],
  ])(
    'a restarted registry server uses entries kept on disk only if the kind, URL and filter of the source are unchanged: %s',
    async (_name, change, servers) => {
      const { stateDir, plan, peer } = await leftBehind();
      await peer.close();
      const { contents, log } = createSources([change(plan)], { stateDir });
      await contents.start();
      expect(findSourceStatus(contents).servers).toBe(servers);
      expect(log.filter(({ cause }) => cause === OTHER)).toHaveLength(servers === 0 ? 1 : 0);
    },
  );

  test('the registry server ignores entries on disk that it kept for a source with another name', async () => {
    const { stateDir, plan, peer, file } = await leftBehind();
    await peer.close();
    await writeFile(join(stateDir, 'other.ndjson'), await readFile(file));
    const { contents } = createSources([{ ...plan, name: 'other' }], { stateDir });
    await contents.start();
    expect(listed(contents, 'other')).toEqual([]);
  });
});

describe('invalid files of kept entries', () => {
  test.each<[string, (bytes: Buffer) => Buffer | string, string]>([
    ['is empty', () => '', 'it is not a file that this server has written'],
    ['has another content', () => 'hello\nworld\n', 'it is not a file that this server has written'],
    ['has other JSON', () => '{"format":1}\n', 'it is not a file that this server has written'],
    ['has null', () => 'null\n', 'it is not a file that this server has written'],
    ['has no line breaks', bytes => bytes.toString().replaceAll('\n', ''), 'it is not a file'],
    ['has a later format', bytes => bytes.toString().replace('"format":1', '"format":2'), 'it is not a file'],
    ['is incomplete', bytes => bytes.subarray(0, -20), 'its content is damaged'],
    ['has an additional byte', bytes => `${bytes}x`, 'its content is damaged'],
    ['has a changed byte', bytes => bytes.toString().replace('What io', 'WhaT io'), 'its content is damaged'],
  ])('the registry server ignores a file of entries kept on disk that %s', async (_name, damage, cause) => {
    const { stateDir, plan, peer, file } = await leftBehind();
    await writeFile(file, damage(await readFile(file)));
    const { contents, log } = createSources([plan], { stateDir });
    await contents.start();
    expect(listed(contents)).toEqual([]);
    expect(log[0]).toMatchObject({ msg: 'the entries kept on disk are not used', source: 'team', file });
    expect(log[0]?.cause).toContain(cause);
    // The upstream is back: the next reading succeeds.
    await contents.refresh();
    await contents.close();
    await peer.close();
    const again = createSources([plan], { stateDir }).contents;
    await again.start();
    expect(listed(again)).toHaveLength(2);
  });

  test('the registry server reads a source without If-None-Match when the entity tag that it kept on disk is damaged', async () => {
    const { stateDir, plan, file, peer } = await leftBehind({}, { etag: '"v1"' });
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"mark":"(?:[^"\\]|\\.)*"/, '"mark":"{"'));
    const { contents } = await readContents([plan], { stateDir });
    expect(findSourceStatus(contents)).toMatchObject({ phase: 'complete', isFromDisk: false });
    expect(peer.requests[1]?.headers['if-none-match']).toBeUndefined();
  });
});

describe('unusable state folders', () => {
  const MESSAGE = 'entries cannot be kept on disk; after a restart nothing is listed until the upstream answers';

  test('the log reports an unusable state folder once, and the registry server still lists new entries', async () => {
    const folder = await writeFolder({ state: 'a file', 'a.json': sourceFile(server('io.example/a')) });
    const path = join(folder, 'a.json');
    const stateDir = join(folder, 'state', 'below');
    const plans = ['one', 'two'].map(name => source({ type: 'file', path }, { name }));
    const { contents, log } = await readContents(plans, { stateDir });
    await writeFile(path, sourceFile(server('io.example/b')));
    await contents.refresh();
    expect(listed(contents, 'two')).toEqual(['io.example/b@1.0.0']);
    expect(findSourceStatus(contents, 'two')).toMatchObject({ phase: 'complete', message: '' });
    expect(log.filter(({ msg }) => msg === MESSAGE)).toHaveLength(1);
  });

  test('the registry server keeps changed entries on disk as soon as its state folder can be used', async () => {
    const folder = await writeFolder({ 'a.json': sourceFile(server('io.example/a')) });
    const path = join(folder, 'a.json');
    const stateDir = join(folder, 'state');
    await symlink('/dev/null', stateDir);
    const plan = source({ type: 'file', path });
    const { contents } = await readContents([plan], { stateDir });
    await rm(stateDir);
    await mkdir(stateDir);
    await chmod(stateDir, 0o700);
    await contents.refresh();
    expect(await readdir(stateDir)).toEqual(['team.ndjson']);
  });

  test('the registry server lists entries without a state folder', async () => {
    const path = join(await writeFolder({ 'a.json': sourceFile(server('io.example/a')) }), 'a.json');
    const plans = ['one', 'two'].map(name => source({ type: 'file', path }, { name }));
    const { contents, log } = await readContents(plans);
    const { contents: next, log: nextLog } = await readContents(plans, { earlier: contents });
    expect(listed(next, 'one')).toEqual(['io.example/a@1.0.0']);
    expect(log.filter(({ msg }) => msg.startsWith('entries are not kept on disk'))).toHaveLength(1);
    expect(nextLog).toEqual([]);
  });
});
