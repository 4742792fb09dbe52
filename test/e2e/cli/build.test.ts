import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rm, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { lockText } from '../../../compiler/analysis/catalog/index.ts';
import { createLock } from '../../compiler/catalog/locks.ts';
import { runLintel } from '../../support/lintel.ts';
import { type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN, gateway, UNLOCKED, WITH_ERROR, WITH_UNSUPPORTED } from '../specs.ts';

interface Entry {
  readonly name: string;
  readonly digest: string;
  readonly path: string;
}

const TWO_GATEWAYS = { ...CLEAN, 'other.yaml': gateway('other') };
const BROKEN_OTHER = { 'other.yaml': gateway('other', '{ backends: 1 }') };

function build(folder: TemporaryFolder, ...more: string[]) {
  return runLintel(['build', 'specs', '--out', 'out', ...more], { cwd: folder.path });
}

async function specsFolder(files: { readonly [path: string]: string }): Promise<TemporaryFolder> {
  const folder = await temporaryFolder();
  await writeSpecs(folder, files);
  return folder;
}

function writeSpecs(folder: TemporaryFolder, files: { readonly [path: string]: string }): Promise<void> {
  return folder.write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`specs/${name}`, text])));
}

async function entriesOf(folder: TemporaryFolder): Promise<readonly Entry[]> {
  const index = JSON.parse(await readFile(folder.file('out/index.json'), 'utf8')) as { bundles: Entry[] };
  return index.bundles;
}

test('`lintel build` writes each bundle into a directory named by its digest, and an index of the bundles', async () => {
  await using folder = await specsFolder(TWO_GATEWAYS);
  const { code, stderr } = await build(folder);
  expect([code, stderr]).toEqual([0, `no findings in 4 files (4 objects checked)\n${UNLOCKED}`]);

  const digests: string[] = [];
  for (const name of ['eng', 'other']) {
    const [directory = ''] = await readdir(folder.file(`out/bundles/default/${name}`));
    expect(await readdir(folder.file(`out/bundles/default/${name}/${directory}`))).toEqual([
      'bundle.json',
      'exposure.json',
    ]);
    const exposure = JSON.parse(
      await readFile(folder.file(`out/bundles/default/${name}/${directory}/exposure.json`), 'utf8'),
    );
    expect(exposure).toMatchObject({ formatVersion: 1, kind: 'gateway', namespace: 'default', name });
    const bytes = await readFile(folder.file(`out/bundles/default/${name}/${directory}/bundle.json`));
    const digest = createHash('sha256').update(bytes).digest('hex');
    expect(directory).toBe(`sha256-${digest}`);
    digests.push(digest);
  }
  expect(JSON.parse(await readFile(folder.file('out/index.json'), 'utf8'))).toEqual({
    formatVersion: 1,
    bundles: ['eng', 'other'].map((name, at) => ({
      kind: 'gateway',
      namespace: 'default',
      name,
      digest: `sha256:${digests[at]}`,
      path: `bundles/default/${name}/sha256-${digests[at]}`,
    })),
  });
});

test('`lintel build --revision` records the revision in the bundle', async () => {
  await using folder = await specsFolder(CLEAN);
  await build(folder, '--revision', 'main@sha1:0123');
  const [entry] = await entriesOf(folder);
  expect(JSON.parse(await readFile(folder.file(`out/${entry?.path}/bundle.json`), 'utf8'))).toMatchObject({
    name: 'eng',
    origin: { sourceRevision: 'main@sha1:0123' },
  });
});

test('`lintel build` writes the bundle of a valid gateway, and none of an invalid gateway', async () => {
  await using folder = await specsFolder({ ...TWO_GATEWAYS, ...BROKEN_OTHER });
  const { code, stdout, stderr } = await build(folder);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^default\/eng sha256:[0-9a-f]{64} out\/bundles\/default\/eng\/sha256-[0-9a-f]{64}\n$/);
  expect(stderr).toContain(' --> specs/other.yaml:7:23\n');
  expect(await readdir(folder.file('out/bundles/default'))).toEqual(['eng']);
  expect((await entriesOf(folder)).map(({ name }) => name)).toEqual(['eng']);
});

test.each([
  ['has a wrong type', BROKEN_OTHER['other.yaml']],
  ['is not YAML', 'kind: ['],
  ['has an unknown kind', gateway('other').replace('kind: V', 'kind: W')],
  ['has no valid name', gateway('Other!')],
  ['has a key twice', `${gateway('other')}kind: VirtualMCPServer\n`],
])('`lintel build` keeps the index entry of the last good bundle of a gateway that %s', async (_, broken) => {
  await using folder = await specsFolder(TWO_GATEWAYS);
  await build(folder);
  const before = await entriesOf(folder);
  await writeSpecs(folder, { 'other.yaml': broken });
  expect((await build(folder)).code).toBe(1);
  expect(await entriesOf(folder)).toEqual(before);
});

test('`lintel build` removes a deleted gateway from the index', async () => {
  await using folder = await specsFolder(TWO_GATEWAYS);
  await build(folder);
  await rm(folder.file('specs/other.yaml'));
  expect((await build(folder)).code).toBe(0);
  expect((await entriesOf(folder)).map(({ name }) => name)).toEqual(['eng']);
});

test('`lintel build` reports the name of a field that the runtime does not support yet, and builds no bundle', async () => {
  await using folder = await specsFolder(WITH_UNSUPPORTED);
  const { code, stdout, stderr } = await build(folder);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(
    'error[LNT1009] not-supported-yet: code mode: not supported yet (spec.config.codeMode)\n --> specs/gateway.yaml:7:13\n',
  );
  expect(await entriesOf(folder)).toEqual([]);
});

test.each([
  ['good specs', CLEAN, /^no findings/],
  ['specs with errors', WITH_ERROR, /^error\[LNT/],
])(
  '`lintel build` with an unwritable output folder prints the findings of %s and exits with code 2',
  async (_, files, findings) => {
    await using folder = await temporaryFolder({ ...files, file: '' });
    const { code, stdout, stderr } = await runLintel(['build', '.', '--out', 'file/out'], { cwd: folder.path });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(findings);
    expect(stderr.split('\n').at(-2)).toBe(
      'lintel: cannot write to file/out: file is a file, not a folder; give another path, or move it away',
    );
  },
);

test.each([
  ['is a file', 'file', 'file is a file, not a folder; give another path, or move it away'],
  ['is a broken link', 'link', 'link is a link to nothing; give another path, or put the link right'],
  ['is below a broken link', 'link/out', 'link is a link to nothing; give another path, or put the link right'],
  ['has a folder for a file', 'taken', 'taken/index.json is a folder, not a file; give another path, or move it away'],
  ...(existsSync('/proc/self')
    ? [['is where nothing can be created', '/proc/lintel/out', 'nothing can be created in /proc; give another path']]
    : []),
  ['has a name that is too long', 'x'.repeat(300), 'a name in the path is too long; give a shorter one'],
])('`lintel build` names the obstacle and what to do if the output folder %s', async (_, out, why) => {
  await using folder = await temporaryFolder({ ...CLEAN, file: '', 'taken/index.json/x': '' });
  await symlink('nothing', folder.file('link'));
  const { code, stdout, stderr } = await runLintel(['build', '.', '--out', out], { cwd: folder.path });
  expect([code, stdout, stderr.split('\n').at(-2)]).toEqual([2, '', `lintel: cannot write to ${out}: ${why}`]);
});

test('the bundle of `lintel build` has the tool names of the tool lock, and the exposure.json next to it shows them', async () => {
  await using folder = await specsFolder(CLEAN);
  await build(folder);
  const [before] = await entriesOf(folder);
  const exposure = async (entry = before) =>
    JSON.parse(await readFile(folder.file(`out/${entry?.path}/exposure.json`), 'utf8'));
  expect(await exposure()).toMatchObject({ complete: false, tools: [] });
  const tools = [{ name: 'search', inputSchema: { type: 'object' } }];
  await folder.write({ 'lintel.lock.json': lockText(createLock({ 'default/MCPServerEntry/github': { tools } })) });
  expect(await build(folder)).toMatchObject({ code: 0 });
  const [after] = await entriesOf(folder);
  expect(after?.digest).not.toBe(before?.digest);
  expect(await exposure(after)).toMatchObject({ complete: true, tools: [{ name: 'github_search' }] });
});
