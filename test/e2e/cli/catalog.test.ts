/** How `check`, `build` and `dev` use the tool lock. */
import { chmod, mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { lockText } from '../../../compiler/analysis/catalog/index.ts';
import { createLock, GITHUB } from '../../compiler/catalog/locks.ts';
import { runLintel } from '../../support/lintel.ts';
import { PROGRAM, start, temporaryFolder } from '../../support/process.ts';
import { FREE_PORTS } from '../served.ts';
import { CLEAN, GROUP } from '../specs.ts';

const SPECS = Object.fromEntries(Object.entries(CLEAN).map(([name, text]) => [`specs/${name}`, text]));
const FIND = {
  name: 'find',
  description: 'Find it.',
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};
const SOUND = lockText(createLock({ [GITHUB]: { tools: [FIND] } }));

/** Moves files to another folder. */
function move(files: { readonly [path: string]: string }, to: string): { readonly [path: string]: string } {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${to}/${path}`, text]));
}
const EDITED = SOUND.replace('Find it.', 'Find it!');

const finding = (
  file: string,
) => `error[LNT1050] catalog-edited: the definition of the tool "find" does not match its digest: it was edited
  --> ${file}:14:21
`;

test('a valid tool lock causes no finding, and an edited tool lock is an error that prevents the build', async () => {
  await using folder = await temporaryFolder({ ...SPECS, 'lintel.lock.json': SOUND });
  const clean = await runLintel(['check', '.'], { cwd: folder.path });
  expect(clean).toEqual({ code: 0, stdout: 'no findings in 3 files (3 objects checked)\n', stderr: '' });
  expect((await runLintel(['build', 'specs', '--out', 'out'], { cwd: folder.path })).code).toBe(0);

  await folder.write({ 'lintel.lock.json': EDITED });
  const { code, stdout } = await runLintel(['check', 'specs'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(stdout).toContain(finding('lintel.lock.json'));
  expect(stdout).toContain('14 |           "digest": "sha256:');
  const build = await runLintel(['build', 'specs', '--out', 'new'], { cwd: folder.path });
  expect([build.code, build.stdout]).toEqual([1, '']);
});

test.each([
  ['in the working folder', { 'lintel.lock.json': EDITED }, '.', ['specs'], 'lintel.lock.json'],
  [
    'in a parent folder of the same repository',
    { 'lintel.lock.json': EDITED, '.git/HEAD': '' },
    'specs',
    ['.'],
    '../lintel.lock.json',
  ],
  [
    'that --catalog names',
    { 'locks/one.json': EDITED },
    '.',
    ['specs', '--catalog', 'locks/one.json'],
    'locks/one.json',
  ],
])('`lintel check` finds the tool lock %s', async (_, files, cwd, args, shown) => {
  await using folder = await temporaryFolder({ ...SPECS, ...files });
  const { code, stdout } = await runLintel(['check', ...args], { cwd: folder.file(cwd) });
  expect([code, stdout.includes(finding(shown))]).toEqual([1, true]);
});

test('`lintel check` finds the tool lock in a parent folder of the specs outside of a repository, from any working folder', async () => {
  await using folder = await temporaryFolder({ ...SPECS, 'lintel.lock.json': EDITED, 'other/file': '' });
  for (const cwd of ['specs', 'other', '.']) {
    const { stdout } = await runLintel(['check', folder.file('specs')], { cwd: folder.file(cwd) });
    expect([cwd, stdout.includes('LNT1050')]).toEqual([cwd, true]);
  }
});

test('`lintel check` ignores a tool lock in or above a folder that all users may write to', async () => {
  await using folder = await temporaryFolder({
    'lintel.lock.json': EDITED,
    'all/lintel.lock.json': EDITED,
    ...Object.fromEntries(Object.entries(SPECS).map(([name, text]) => [`all/${name}`, text])),
  });
  await chmod(folder.file('all'), 0o777);
  const { code } = await runLintel(['check', 'specs'], { cwd: folder.file('all') });
  expect(code).toBe(1); // The working folder itself is the caller's choice.
  expect((await runLintel(['check', '.'], { cwd: folder.file('all/specs') })).code).toBe(0);
});

test.each([
  [
    'above a folder with a configuration',
    { 'lintel.lock.json': EDITED, '.git/HEAD': '', 'specs/lintel.yaml': '' },
    'specs',
  ],
  ['above the repository', { 'lintel.lock.json': EDITED, 'specs/.git/HEAD': '' }, 'specs'],
  ['below the paths', { 'specs/deep/lintel.lock.json': EDITED }, '.'],
])('`lintel check` does not search for the tool lock %s', async (_, files, cwd) => {
  await using folder = await temporaryFolder({ ...SPECS, ...files });
  const paths = ['group', 'entry', 'gateway'].map(name => folder.file(`specs/${name}.yaml`));
  const { code } = await runLintel(['check', ...paths], { cwd: folder.file(cwd) });
  expect(code).toBe(0);
});

const TEAM = { ...move(SPECS, 'teams/a'), 'teams/a/lintel.lock.json': EDITED };

test.each([
  ['a folder', {}, ['teams/a/specs'], 'teams/a/lintel.lock.json'],
  ['a file', {}, ['teams/a/specs/gateway.yaml'], 'teams/a/lintel.lock.json'],
  ['the specs of a folder', {}, ['teams/a'], 'teams/a/lintel.lock.json'],
  ['a folder in a repository', { '.git/HEAD': '' }, ['teams/a/specs'], 'teams/a/lintel.lock.json'],
  [
    'one of two paths',
    { 'b/group.yaml': GROUP.replace('tools', 'b'), 'b/.git/HEAD': '' },
    ['b', 'teams/a'],
    'teams/a/lintel.lock.json',
  ],
  [
    'a folder with a configuration',
    { 'teams/lintel.yaml': 'catalog: a/lintel.lock.json' },
    ['teams/a/specs'],
    'teams/lintel.yaml',
  ],
])('`lintel check` uses the tool lock next to %s, and prints its path', async (_, files, paths, said) => {
  await using folder = await temporaryFolder({ 'lintel.lock.json': SOUND, ...TEAM, ...files });
  const { stdout, stderr } = await runLintel(['check', ...paths], { cwd: folder.path });
  expect(stdout).toContain(finding('teams/a/lintel.lock.json'));
  expect(stderr).toBe(`lintel: using ${said}\n`);
});

test('`lintel check` refuses two paths with different tool locks, unless --catalog names a tool lock', async () => {
  await using folder = await temporaryFolder({ ...TEAM, ...move(SPECS, 'b'), 'b/lintel.lock.json': SOUND });
  const check = (...args: string[]) => runLintel(['check', 'teams/a', 'b', ...args], { cwd: folder.path });
  expect(await check()).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'lintel: two files decide: teams/a/lintel.lock.json of teams/a and b/lintel.lock.json of b; give these paths one by one, or name a file with --catalog, or with --out of lock\n',
  });
  expect((await check('--catalog', 'b/lintel.lock.json')).stdout).not.toContain('LNT1050');
  await folder.write({ 'b/lintel.yaml': '', 'teams/lintel.yaml': '' });
  expect((await check()).stderr).toBe(
    'lintel: two files decide: teams/lintel.yaml of teams/a and b/lintel.yaml of b; give these paths one by one, or name a file with --config\n',
  );
  expect((await check('--config', 'b/lintel.yaml')).code).toBe(1);
});

test('`lintel check` exits with code 2 if --catalog names a missing tool lock', async () => {
  await using folder = await temporaryFolder(SPECS);
  const outcome = await runLintel(['check', 'specs', '--catalog', 'nope.json'], { cwd: folder.path });
  expect(outcome).toEqual({
    code: 2,
    stdout: '',
    stderr: 'lintel: no such tool lock: nope.json; `lintel lock` writes it\n',
  });
});

test('`lintel check` exits with code 2 if lintel.yaml names a missing tool lock', async () => {
  await using folder = await temporaryFolder({
    ...SPECS,
    'lintel.yaml': 'sources: [specs]\ncatalog: locks/nope.json\n',
  });
  const stderr = 'lintel: lintel.yaml: no such tool lock: locks/nope.json; `lintel lock` writes it\n';
  expect(await runLintel(['check'], { cwd: folder.path })).toEqual({ code: 2, stdout: '', stderr });
});

test('`lintel check` reports an invalid tool lock as invalid, and not as a tool lock without backends', async () => {
  await using folder = await temporaryFolder({ ...SPECS, 'lintel.lock.json': `<<<<<<< HEAD\n${SOUND}` });
  const { code, stdout } = await runLintel(['check', 'specs'], { cwd: folder.path });
  expect(code).toBe(1);
  expect(stdout).toContain('\n\n1 error in 3 files');
});

test('`lintel check` exits with code 3 if it cannot read the tool lock', async () => {
  await using folder = await temporaryFolder(SPECS);
  await mkdir(folder.file('lintel.lock.json'));
  const { code, stdout } = await runLintel(['check', 'specs'], { cwd: folder.path });
  expect(code).toBe(3);
  expect(stdout).toContain(
    'error[LNT1018] unreadable-input: cannot be read: it is a folder\n --> lintel.lock.json:1:1\n',
  );
});

test('`lintel dev` reacts to changes of the tool lock, and not of other files next to it', async () => {
  await using folder = await temporaryFolder({ ...SPECS, 'lintel.lock.json': EDITED });
  await using dev = start(PROGRAM.lintel, ['dev', 'specs', ...FREE_PORTS], { cwd: folder.path });
  await dev.stderr.next(/there are errors; waiting for a change/);
  await folder.write({ 'notes.txt': 'x' });
  await folder.replace('lintel.lock.json', SOUND);
  await dev.announcement();
  await folder.write({ 'notes.txt': 'y' });
  await folder.replace('lintel.lock.json', EDITED);
  await dev.stderr.next(/LNT1050[\s\S]*the last good bundle is still served/);
  expect(dev.stderr.text.match(/compiled in/g)).toBeNull();
});
