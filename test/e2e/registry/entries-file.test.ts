/** Entries are stored next to their bundle, and served only if they match it. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { BundleIndex } from '#schemas';
import { eventually, PROGRAM, run } from '../../support/process.ts';
import { buildInto, FREE_PORTS } from '../served.ts';
import { anonymousConfig, listAllServers, server, sourceFile, startRegistry } from './registry-server.ts';

const FILES = {
  'registry.yaml': anonymousConfig('{ name: ours, file: { path: servers.json } }'),
  'servers.json': sourceFile([server('a/a'), server('a/b')]),
};

async function entriesIn(out: string): Promise<string> {
  const { bundles } = JSON.parse(await readFile(`${out}/index.json`, 'utf8')) as BundleIndex;
  return `${out}/${bundles[0]?.path}/entries/ours.ndjson`;
}

const EDIT = async (file: string) => writeFile(file, (await readFile(file, 'utf8')).replace('a/b', 'a/c'));

test.each<[what: string, spoil: (file: string) => Promise<void>]>([
  ['edited', EDIT],
  ['cut short', async file => writeFile(file, (await readFile(file, 'utf8')).split('\n')[0] ?? '')],
  ['missing', file => rm(file)],
])('a registry server does not start if the entries file of its bundle is %s', async (_, spoil) => {
  await using folder = await buildInto(FILES);
  const file = await entriesIn(folder.file('out'));
  await spoil(file);
  const args = ['--bundle', folder.file('out'), ...FREE_PORTS, '--state-dir', folder.file('state')];
  const { code, stdout, stderr } = await run(PROGRAM.runtime, args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(file);
  expect(stderr).toMatch(/; build the bundle again\n$/);
});

test('a registry server refuses an invalid new file of entries, keeps its entries, and serves the next build', async () => {
  await using registry = await startRegistry(FILES, ['--watch']);
  const { folder } = registry;
  // In a separate folder, so that the bundle is damaged before any process reads it.
  await using next = await buildInto({ ...FILES, 'servers.json': sourceFile([server('a/b'), server('a/d')]) });
  const { bundles } = JSON.parse(await readFile(next.file('out/index.json'), 'utf8')) as BundleIndex;
  const [entry] = bundles;
  const path = `${entry?.path}/bundle.json`;
  await folder.write({
    [`out/${path}`]: await readFile(next.file(`out/${path}`), 'utf8'),
    'out/index.json': JSON.stringify({ formatVersion: 1, bundles }),
  });
  await registry.program.stderr.next(
    /the new bundle is refused, and the running bundle stays in use: .*\/entries\/ours\.ndjson/,
  );
  expect(await listAllServers(registry.main)).toEqual(['a/a@1.0.0', 'a/b@1.0.0']);
  const entries = `${entry?.path}/entries/ours.ndjson`;
  // Entries that arrive late are read at the next attempt.
  await folder.write({ [`out/${entries}`]: await readFile(next.file(`out/${entries}`), 'utf8') });
  await eventually(async () => (await listAllServers(registry.main)).join() === 'a/b@1.0.0,a/d@1.0.0');
});
