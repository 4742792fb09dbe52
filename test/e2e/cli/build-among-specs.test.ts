/** `lintel build` never reads its own output as specs, and never writes it into a folder that holds specs. */
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { temporaryFolder } from '../../support/process.ts';
import { CLEAN, UNLOCKED } from '../specs.ts';

const SPECS = Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`specs/${name}`, text]));
const FIRST = Object.keys(SPECS).sort()[0];

const refusal = (option: string, folder: string, kind: string, other: string, first = FIRST) =>
  `lintel: ${option} ${folder} holds specs, such as ${first}, and the next run would read the ${kind} as sources: give the ${kind} a folder of their own, such as ${option} ${other}\n`;

test.each<[name: string, args: string[], expected: string]>([
  [
    'the output folder is the folder of the specs',
    ['specs', '--out', 'specs'],
    refusal('--out', 'specs', 'bundles', 'dist'),
  ],
  [
    'the output folder holds the specs and is below the PATH',
    ['.', '--out', './specs'],
    refusal('--out', './specs', 'bundles', 'dist'),
  ],
  ['the output folder is the PATH and holds the specs', ['.', '--out', '.'], refusal('--out', '.', 'bundles', 'dist')],
  ['the output folder is a link to the specs', ['specs', '--out', 'link'], refusal('--out', 'link', 'bundles', 'dist')],
  [
    'the folder for manifests is the folder of the specs',
    ['specs', '--out', 'dist', '--manifests', 'specs'],
    refusal('--manifests', 'specs', 'manifests', 'manifests'),
  ],
  [
    'the manifests of a namespace would be written into the folder of its specs',
    ['default', '--out', 'dist', '--manifests', '.'],
    refusal('--manifests', '.', 'manifests', 'manifests', FIRST?.replace('specs/', 'default/')),
  ],
])('`lintel build` fails and writes nothing if %s', async (_, args, expected) => {
  await using folder = await temporaryFolder(SPECS);
  if (args[0] === 'default') {
    await folder.write(Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`default/${name}`, text])));
  }
  if (args.includes('link')) await symlink('specs', folder.file('link'));
  const before = await readdir(folder.path, { recursive: true });
  expect(await runLintel(['build', ...args], { cwd: folder.path })).toEqual({ code: 2, stdout: '', stderr: expected });
  expect(await readdir(folder.path, { recursive: true })).toEqual(before);
});

test.each<[name: string, args: string[]]>([
  ['the folder that holds the folder of the specs', ['specs', '--out', '.']],
  ['its own folder below a PATH', ['.', '--out', 'dist', '--manifests', 'manifests']],
  ['its own folder in the folder of the specs', ['specs', '--out', 'specs/dist', '--manifests', 'specs/manifests']],
])('a second `lintel build` gives the same result if the output folder is %s', async (_, args) => {
  await using folder = await temporaryFolder(SPECS);
  const first = await runLintel(['build', ...args], { cwd: folder.path });
  expect([first.code, first.stderr]).toEqual([0, expect.stringContaining(UNLOCKED)]);
  expect(first.stderr).toContain('no findings in 3 files (3 objects checked)');
  expect(await runLintel(['build', ...args], { cwd: folder.path })).toEqual(first);
});

test('`lintel check` skips the bundles and manifests of two builds, and still reads files that no build wrote', async () => {
  await using folder = await temporaryFolder(SPECS);
  await runLintel(['build', 'specs', '--out', 'dist', '--manifests', 'staging'], { cwd: folder.path });
  await runLintel(['build', 'specs', '--out', 'dist', '--manifests', 'production'], { cwd: folder.path });
  await folder.write({ 'production/own.yaml': 'kind: Own\n', 'dist/own.yaml': 'kind: Own\n' });
  const { code, stdout } = await runLintel(['check', '.'], { cwd: folder.path });
  expect([code, stdout]).toEqual([
    0,
    `no findings in 5 files (3 objects checked, 2 foreign objects left alone)\n${UNLOCKED}`,
  ]);
});

test('`lintel check` skips a folder named bundles only if a build wrote the index.json next to it', async () => {
  await using folder = await temporaryFolder({
    'specs/index.json': '{}',
    ...Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`specs/bundles/${name}`, text])),
  });
  const { code, stdout } = await runLintel(['check', '.'], { cwd: folder.path });
  expect([code, stdout]).toEqual([
    0,
    `no findings in 4 files (3 objects checked, 1 foreign object left alone)\n${UNLOCKED}`,
  ]);
});

test('`lintel build` keeps an index.json that it did not write', async () => {
  await using folder = await temporaryFolder(SPECS);
  await mkdir(folder.file('web'));
  await folder.write({ 'web/index.json': '{"pages": []}' });
  const { code, stderr } = await runLintel(['build', 'specs', '--out', 'web'], { cwd: folder.path });
  expect([code, stderr]).toEqual([
    2,
    'lintel: cannot write to web: web/index.json was not written by `lintel build`; move it away, or give another folder\n',
  ]);
  expect(await readdir(folder.file('web'))).toEqual(['index.json']);
});

test('`lintel build` replaces a damaged index.json next to its bundles', async () => {
  await using folder = await temporaryFolder(SPECS);
  const build = () => runLintel(['build', 'specs', '--out', 'dist'], { cwd: folder.path });
  await build();
  const index = await readFile(folder.file('dist/index.json'), 'utf8');
  await folder.write({ 'dist/index.json': index.slice(0, -10) });
  expect((await build()).code).toBe(0);
  expect(await readFile(folder.file('dist/index.json'), 'utf8')).toBe(index);
});
