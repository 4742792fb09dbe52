/** Files of registry entries on disk: which are read, and how the server uses them. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { computeDigest } from '#schemas';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

const CONFIG = `sources: [{ name: a, file: { path: servers.json } }]
registries: [{ name: main, sources: [a] }]
auth: { mode: anonymous }
`;
const WEATHER = { name: 'com.example/weather', description: 'Forecasts.', version: '1.0.0' };
const ENTRIES = JSON.stringify({ data: { servers: [WEATHER] } });

async function check(folder: TemporaryFolder, path: string, cwd = folder.path) {
  const { code, stdout, stderr } = await runLintel(['check', path, '--format', 'compact'], { cwd });
  return [code, `${stdout}${stderr}`.split('\n')[0] ?? ''] as const;
}

test('`lintel build` writes the entries of a registry server next to its bundle, and the digest of the entries into the bundle', async () => {
  await using folder = await temporaryFolder({ 'registry.yaml': CONFIG, 'servers.json': ENTRIES });
  expect(await runLintel(['build', '.', '--out', 'out'], { cwd: folder.path })).toMatchObject({ code: 0 });
  const index = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as { bundles: { path: string }[] };
  const at = folder.file(join('out', index.bundles[0]?.path ?? ''));
  const entries = await readFile(join(at, 'entries/a.ndjson'), 'utf8');
  expect(entries).toBe(
    '{"publishedAt":null,"server":{"description":"Forecasts.","name":"com.example/weather","version":"1.0.0"},"status":"active","updatedAt":null}\n',
  );
  const { sources } = JSON.parse(await readFile(join(at, 'bundle.json'), 'utf8')) as { sources: object[] };
  expect(sources).toMatchObject([{ from: { entries: { path: 'entries/a.ndjson', digest: computeDigest(entries) } } }]);
});

test('`lintel check` finds a file of entries by its path relative to the registry configuration, from any working folder', async () => {
  await using folder = await temporaryFolder({
    'deploy/registry.yaml': CONFIG.replace('servers.json', '../catalog/servers.json'),
    'catalog/servers.json': ENTRIES,
    'other/keep.txt': '',
  });
  expect(await check(folder, 'deploy')).toEqual([0, '']);
  expect(await check(folder, folder.file('deploy/registry.yaml'))).toEqual([0, '']);
  expect(await check(folder, '../deploy', folder.file('other'))).toEqual([
    1,
    '../deploy/registry.yaml:1:36: error[LNT8020]: ../catalog/servers.json is outside of the project',
  ]);
  // With a project, paths are relative to the folder of lintel.yaml.
  await folder.write({ 'lintel.yaml': 'exclude: [other]\n' });
  expect(await check(folder, '../deploy', folder.file('other'))).toEqual([0, '']);
});

test('`lintel check` does not read a file of entries as specs, even if the file is large or invalid', async () => {
  const large = JSON.stringify({
    data: { servers: [{ ...WEATHER, x: 'x'.repeat(200_000) }] },
    y: 'y'.repeat(9_000_000),
  });
  await using folder = await temporaryFolder({ 'registry.yaml': CONFIG, 'servers.json': large });
  expect(await check(folder, '.')).toEqual([0, '']);
  await folder.write({ 'servers.json': '{ "data": 1, "data": 2 }' });
  const [code, line] = await check(folder, '.');
  expect([code, line]).toEqual([1, expect.stringMatching(/^servers\.json:1:14: error\[LNT1002\]: /)]);
});

test('`lintel check` reads files of entries only inside of the project', async () => {
  await using outside = await temporaryFolder({ 'servers.json': ENTRIES });
  await using folder = await temporaryFolder({ 'registry.yaml': CONFIG });
  const about = async (path: string) => {
    await folder.write({ 'registry.yaml': CONFIG.replace('servers.json', path) });
    return (await check(folder, 'registry.yaml'))[1].replace(/^registry\.yaml:1:36: error\[LNT8020\]: /, '');
  };
  await symlink(outside.file('servers.json'), folder.file('link.json'));
  await symlink(outside.path, folder.file('linked'));
  await symlink('nowhere.json', folder.file('dangling.json'));
  await mkdir(folder.file('folder.json'));
  await writeFile(folder.file('bytes.json'), Buffer.from([0x7b, 0xff, 0x7d]));
  await folder.write({ 'real.json': ENTRIES });
  await symlink('real.json', folder.file('inner.json'));
  expect(await about('inner.json')).toBe('');
  expect(await about('missing.json')).toBe(
    'missing.json cannot be read: it does not exist, or is a link to a file that does not exist',
  );
  expect(await about('dangling.json')).toBe(
    'dangling.json cannot be read: it does not exist, or is a link to a file that does not exist',
  );
  expect(await about('bytes.json')).toBe('bytes.json was not read: the file is not UTF-8 at byte 1');
  expect(await about('folder.json')).toBe('folder.json is no file');
  expect(await about('link.json')).toBe('link.json is a link that leads out of the project');
  expect(await about('linked/servers.json')).toBe('linked/servers.json is a link that leads out of the project');
  expect(await about('../servers.json')).toBe('../servers.json is outside of the project');
  expect(await about('a/../../etc/passwd')).toBe('../etc/passwd is outside of the project');
});

test('`lintel build` reports an invalid entry at its line and builds no bundle', async () => {
  const broken = JSON.stringify({ data: { servers: [{ ...WEATHER, version: '^1' }] } }, null, 2);
  await using folder = await temporaryFolder({ 'registry.yaml': CONFIG, 'servers.json': broken });
  const { code, stderr } = await runLintel(['build', '.', '--out', 'out', '--format', 'pretty'], {
    cwd: folder.path,
  });
  expect(code).toBe(1);
  expect(stderr).toContain('--> servers.json:7:20');
  expect(stderr).toContain('"version": "^1"');
  expect(await readFile(folder.file('out/index.json'), 'utf8')).toContain('"bundles": []');
});
