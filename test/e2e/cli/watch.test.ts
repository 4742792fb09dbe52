/** `lintel check --watch`: it checks again after every kind of change. */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runLintel } from '../../support/lintel.ts';
import { withPeers } from '../../support/peers.ts';
import { Output, PROGRAM, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';
import { CLEAN, gateway, WITH_ERROR } from '../specs.ts';

const BAD = gateway('eng', '{ aggregation: { conflictResolution: prefics } }');
const GOOD_LINE = /^no findings in 3 files .*\n/m;
const BAD_LINE = /^1 error in 3 files .*\n/m;

const git = (folder: TemporaryFolder, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder.path });

/** Ways in which a file changes, and the line that is printed after each. */
test.each<[string, (folder: TemporaryFolder) => Promise<unknown>, RegExp]>([
  ['a write', folder => writeFile(folder.file('gateway.yaml'), BAD), BAD_LINE],
  [
    'an editor that writes by a rename',
    async folder => {
      await writeFile(folder.file('.gateway.yaml.swp'), BAD);
      await rename(folder.file('.gateway.yaml.swp'), folder.file('gateway.yaml'));
    },
    BAD_LINE,
  ],
  ['a new file', folder => writeFile(folder.file('more.yaml'), gateway('more')), /^no findings in 4 files .*\n/m],
  [
    'a new folder',
    async folder => {
      await mkdir(folder.file('deep/er'), { recursive: true });
      await writeFile(folder.file('deep/er/more.yaml'), gateway('more'));
    },
    /^no findings in 4 files .*\n/m,
  ],
  ['a removed file', folder => rm(folder.file('gateway.yaml')), /^no findings in 2 files .*\n/m],
  [
    'a renamed file',
    folder => rename(folder.file('gateway.yaml'), folder.file('a.txt')),
    /^no findings in 2 files .*\n/m,
  ],
  [
    'a checkout of another branch',
    async folder => {
      git(folder, 'checkout', '-q', 'other');
    },
    BAD_LINE,
  ],
])(
  '`lintel check --watch` prints a new summary line after %s, and again after the change is undone',
  async (_, change, line) => {
    await using folder = await temporaryFolder(WITH_ERROR);
    git(folder, 'init', '-q', '-b', 'other');
    git(folder, 'add', '.');
    git(folder, 'commit', '-qm', 'bad');
    git(folder, 'checkout', '-qb', 'main');
    await writeFile(folder.file('gateway.yaml'), CLEAN['gateway.yaml'] ?? '');
    git(folder, 'commit', '-qam', 'good');
    await using lintel = start(PROGRAM.lintel, ['check', '.', '--watch'], { cwd: folder.path });
    await lintel.stdout.next(GOOD_LINE);
    await change(folder);
    await lintel.stdout.next(line);
    git(folder, 'clean', '-qfd');
    git(folder, 'checkout', '-qf', 'main');
    await lintel.stdout.next(GOOD_LINE);
  },
);

test('`lintel check --watch` checks again after a change, waits while lintel.yaml is invalid, and ends with Ctrl-C', async () => {
  await using folder = await temporaryFolder(WITH_ERROR);
  const args = ['check', '.', '--watch', '--format', 'compact', '--format', 'json', '--output', 'report.json'];
  await using lintel = start(PROGRAM.lintel, args, { cwd: folder.path });
  await lintel.stdout.next(/LNT1011.*prefics/);
  await writeFile(folder.file('gateway.yaml'), BAD.replace('prefics', 'priorty'));
  await lintel.stdout.next(/LNT1011.*priorty/);
  await writeFile(folder.file('lintel.yaml'), 'profil: recommended\n');
  await lintel.stderr.next(/lintel: nothing was checked: lintel\.yaml has .*; waiting for a change\n/);
  await rm(folder.file('lintel.yaml'));
  await lintel.stdout.next(/LNT1011/);
  lintel.kill('SIGINT');
  expect(await lintel.exitCode()).toBe(0);
});

test('`lintel check --watch` leaves no open file behind after many changes', async () => {
  await using folder = await temporaryFolder(CLEAN);
  await using lintel = start(PROGRAM.lintel, ['check', '.', '--watch'], { cwd: folder.path });
  await lintel.stdout.next(GOOD_LINE);
  const opened = () => readdirSync(`/proc/${lintel.pid}/fd`).length;
  const changed = async () => {
    await writeFile(folder.file('gateway.yaml'), BAD);
    await lintel.stdout.next(BAD_LINE);
    await writeFile(folder.file('gateway.yaml'), CLEAN['gateway.yaml'] ?? '');
    await lintel.stdout.next(GOOD_LINE);
  };
  await changed();
  const before = opened();
  for (let round = 0; round < 10; round += 1) await changed();
  expect(opened()).toBe(before);
});

test.each([
  [['-', '--watch'], '--watch needs files: standard input cannot change'],
  [['.', '--watch', '--fix'], "option '--watch' cannot be used with option '--fix'"],
  [['no-such', '--watch'], 'no such'],
])('`lintel check` refuses the arguments %j', async (args, message) => {
  await using folder = await temporaryFolder(CLEAN);
  const { code, stderr } = await runLintel(['check', ...args], { cwd: folder.path });
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

withPeers('script').describe('on a terminal', () => {
  test.each([
    ['xterm', 80, true],
    ['xterm', 40, true],
    ['dumb', 80, false],
  ])('`lintel check --watch` with TERM=%s and %i columns clears the screen: %s', async (term, columns, isCleared) => {
    await using folder = await temporaryFolder(CLEAN);
    const command = `stty cols ${columns} rows 24; exec ${process.execPath} ${PROGRAM.lintel} check . --watch`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, TERM: term, NO_COLOR: '1' },
    });
    const screen = new Output('the terminal', child.stdout);
    const end = new Promise(resolve => child.once('exit', resolve));
    try {
      await screen.next(/no findings in 3 files/);
      await writeFile(folder.file('gateway.yaml'), BAD);
      await screen.next(/1 error in 3 files/);
      const again = screen.text.lastIndexOf('\u001B[2J\u001B[H');
      expect(again > screen.text.indexOf('no findings'), screen.text).toBe(isCleared);
      if (isCleared) {
        expect(screen.text.slice(again)).toContain('error[LNT1011]');
        await screen.next(/Ctrl-C ends this/);
      }
    } finally {
      child.stdin.write('\u0003');
      await end;
    }
  });
});
