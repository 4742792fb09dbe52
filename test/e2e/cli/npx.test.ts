/** `npx lintel` in a clone: npm runs `prepare`, which builds only what is not built yet. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { VERSION } from '#schemas';
import rooms from '../../../build/rooms.json' with { type: 'json' };
import { withPeers } from '../../support/peers.ts';
import { ROOT, temporaryFolder } from '../../support/process.ts';

const PREPARE = 'build/node/prepare.mjs';
const FILES = ['package.json', 'package-lock.json', 'prepare.ts', 'tsconfig.json', 'tsconfig.build.json'];
/** The folders of the repository that are part of the package. */
const ROOMS = Object.keys(rooms).filter(name => name !== 'examples');

/** A clone in which every output is newer than its source; its build only prints that it ran. */
async function builtClone() {
  const folder = await temporaryFolder();
  for (const name of FILES) await cp(join(ROOT, name), folder.file(name));
  await writeFile(folder.file('build.ts'), "console.error('it is built');");
  await mkdir(folder.file('build'));
  await cp(join(ROOT, PREPARE), folder.file(PREPARE));
  await cp(join(ROOT, 'build/rooms.json'), folder.file('build/rooms.json'));
  for (const room of ROOMS) {
    await mkdir(folder.file(room), { recursive: true });
    await writeFile(folder.file(`${room}/index.ts`), '');
    await utimes(folder.file(`${room}/index.ts`), 0, 0);
  }
  for (const name of [...FILES, 'build.ts', 'build/rooms.json', PREPARE, 'build/node', 'build', ...ROOMS])
    await utimes(folder.file(name), 0, 0);
  for (const name of ['dist', 'node_modules']) await symlink(join(ROOT, name), folder.file(name));
  return folder;
}

async function prepare(cwd: string): Promise<string> {
  const env = { ...process.env, npm_command: 'ci' };
  const { stderr } = await promisify(execFile)(process.execPath, [PREPARE], { cwd, env });
  return stderr;
}

test('the first call of npx starts the program that `npm ci` has built', async () => {
  await using clone = await builtClone();
  await using cache = await temporaryFolder();
  const env = {
    ...process.env,
    npm_config_cache: cache.path,
    npm_config_offline: 'true',
    npm_config_foreground_scripts: 'true',
  };
  const { stdout, stderr } = await promisify(execFile)('npx', ['lintel', '--version'], { cwd: clone.path, env });
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(VERSION);
  expect(stdout + stderr).not.toContain('it is built');
});

test.each<[what: string, path: string]>([
  ...ROOMS.map((room): [string, string] => [`a source of ${room} is newer`, `${room}/index.ts`]),
  ['a file of the build is newer', 'build/rooms.json'],
  ['a file was removed from a folder', 'compiler'],
  ['package-lock.json is newer', 'package-lock.json'],
])('prepare.ts builds the programs again when %s', async (_what, path) => {
  await using clone = await builtClone();
  expect(await prepare(clone.path)).not.toContain('it is built');
  const later = Date.now() / 1000 + 60;
  await utimes(clone.file(path), later, later);
  expect(await prepare(clone.path)).toContain('it is built');
});

test('prepare.ts builds the programs when none is built yet', async () => {
  await using clone = await builtClone();
  await using elsewhere = await temporaryFolder();
  for (const name of [...FILES, 'build.ts', 'build', ...ROOMS])
    await cp(clone.file(name), elsewhere.file(name), { recursive: true });
  expect(await prepare(elsewhere.path)).toContain('it is built');
});

/** Runs `prepare` as npx does, which hides its output. */
async function prepareForNpx(cwd: string, node: 'this Node' | 'an older Node'): Promise<void> {
  // Such a Node does not strip types, like one before 22.18.
  const options = node === 'this Node' ? [] : ['--no-experimental-strip-types'];
  const env = { ...process.env, npm_command: 'exec' };
  await promisify(execFile)(process.execPath, [...options, PREPARE], { cwd, env });
}

withPeers('script').test(
  'npx builds outdated programs before it starts a program, and the terminal shows why it waits',
  async () => {
    await using clone = await builtClone();
    const late = Date.now() / 1000 + 60;
    await utimes(clone.file('compiler/index.ts'), late, late);
    await writeFile(
      clone.file('build.ts'),
      "import { writeFileSync } from 'node:fs';\nwriteFileSync('asked', process.env.LINTEL_BUILD ?? 'all');",
    );
    const command = `${process.execPath} ${PREPARE} >out 2>&1`;
    const env = { ...process.env, npm_command: 'exec' };
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'], { cwd: clone.path, env });
    expect(stdout).toBe('\rlintel: sources are newer than the programs, which are built first …\r\n');
    expect(await readFile(clone.file('asked'), 'utf8')).toBe('programs');
    expect(await readFile(clone.file('out'), 'utf8')).toBe('');
    await prepare(clone.path);
    expect(await readFile(clone.file('asked'), 'utf8')).toBe('all');
  },
);

const start = (file: string) =>
  promisify(execFile)(process.execPath, [file, '--version']).catch((error: { code: number; stderr: string }) => error);

test('prepare.ts keeps a program that is already built if npx starts with an older Node', async () => {
  await using clone = await builtClone();
  await prepareForNpx(clone.path, 'an older Node');
  expect(await start(clone.file('dist/lintel.js'))).toMatchObject({ stdout: `${VERSION}\n` });
});

test.each([
  ['an older Node', 'is not built: run `npm ci` in it'],
  ['this Node', 'cannot be built as it is: `npm run build` in it says why, and `npm ci` installs what it needs'],
] as const)(
  'a program that npx starts prints why it is not built and cannot be built, with %s',
  async (node, words) => {
    await using clone = await builtClone();
    await rm(clone.file('dist'));
    await writeFile(clone.file('build.ts'), "import 'a-package-that-nobody-installed';");
    await prepareForNpx(clone.path, node);
    for (const program of ['lintel', 'lintel-runtime', 'lintel-controller', 'lintel-bridge'])
      expect(await start(clone.file(`dist/${program}.js`))).toMatchObject({
        code: 2,
        stderr: `${program}: this clone of Lintel ${words}\n`,
      });
  },
);

test('`npm ci` fails with the reason of a failed build', async () => {
  await using clone = await builtClone();
  await rm(clone.file('dist'));
  await writeFile(clone.file('build.ts'), "throw new Error('no build');");
  await expect(prepare(clone.path)).rejects.toThrow('no build');
});
