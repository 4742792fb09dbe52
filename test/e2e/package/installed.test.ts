/** The tarball as a user installs it: nothing is built, no script runs, and the commands work in an empty folder. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PackedTarball, pack } from '../../../build/package/pack.ts';
import { type Outcome, ROOT, start, type TemporaryFolder, temporaryFolder } from '../../support/process.ts';

/** Bytes. Users wait for the first at each `npx`; the second is installed into each of their repositories. */
const MOST = { packed: 10_000_000, unpacked: 42_000_000 };

/** The `node` of Debian and others, which may be too old. */
const SYSTEM_NODE = '/usr/bin/node';

let folder: TemporaryFolder;
let packed: PackedTarball;

beforeAll(async () => {
  folder = await temporaryFolder({ 'package.json': '{ "private": true }' });
  packed = await pack(folder.path);
  // Runs scripts, if there were any.
  const { code, stderr } = await shell(
    'npm install --offline --no-audit --no-fund --foreground-scripts ./lintel-*.tgz',
  );
  expect([code, stderr]).toEqual([0, '']);
});

afterAll(() => folder[Symbol.asyncDispose]());

test('the npm package has no dependencies and no build step', async () => {
  const installed = (await readdir(folder.file('node_modules'))).filter(name => !name.startsWith('.'));
  expect(installed).toEqual(['lintel']);
  const lock = JSON.parse(await readFile(folder.file('node_modules/.package-lock.json'), 'utf8'));
  expect(lock.packages['node_modules/lintel'].hasInstallScript).toBeUndefined();
  const manifest = JSON.parse(await readFile(folder.file('node_modules/lintel/package.json'), 'utf8'));
  expect(manifest).not.toHaveProperty('scripts');
  expect(manifest).not.toHaveProperty('devDependencies');
  for (const name of ['build.ts', 'prepare.ts', 'node_modules'])
    expect(existsSync(folder.file(`node_modules/lintel/${name}`)), name).toBe(false);
  const built = await stat(join(ROOT, 'dist/lintel-commands.js'));
  expect((await stat(folder.file('node_modules/lintel/dist/lintel-commands.js'))).size).toBe(built.size);
});

test('the npm package is not larger than its limit', () => {
  process.stdout.write(`the package: ${packed.size} bytes, ${packed.unpackedSize} unpacked\n`);
  expect(packed.size).toBeLessThan(MOST.packed);
  expect(packed.unpackedSize).toBeLessThan(MOST.unpacked);
});

test('npx finds each program of the npm package', async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  for (const program of ['lintel', 'lintel-runtime', 'lintel-controller', 'lintel-bridge'])
    expect(await shell(`npx --no -- ${program} --version`)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('the npm package can create, check, build and serve a repository', async () => {
  expect(await shell('npx --no -- lintel init --yes repository')).toMatchObject({ code: 0, stderr: '' });
  expect(await shell('npx --no -- lintel check repository')).toMatchObject({ code: 0 });
  expect((await shell('npx --no -- lintel build repository --out built')).stdout).toContain('sha256:');
  await using served = start(
    await realpath(folder.file('node_modules/.bin/lintel')),
    ['serve', 'repository', '--port', '0', '--internal-address', '127.0.0.1:0'],
    { cwd: folder.path },
  );
  const { internal } = await served.announcement<{ readonly internal: string }>();
  expect((await fetch(new URL('/health', internal))).status).toBe(200);
});

/** 0 where there is none. */
const systemNode = existsSync(SYSTEM_NODE)
  ? Number.parseInt(execFileSync(SYSTEM_NODE, ['-p', 'process.versions.node'], { encoding: 'utf8' }), 10)
  : 0;

test.runIf(systemNode > 0 && systemNode < 22)(
  'the programs of the npm package name the required version on an old Node',
  async () => {
    const { code, stdout, stderr } = await shell('npx --no -- lintel check', dirname(SYSTEM_NODE));
    expect(stderr).toMatch(/^lintel: Node \d+\.\S+ is too old, 22\.19 or later is needed: install a newer one/);
    expect([code, stdout]).toEqual([2, '']);
  },
);

/** @param first a folder of programs at the start of PATH; by default that of this Node */
function shell(line: string, first: string = dirname(process.execPath)): Promise<Outcome> {
  const env = { PATH: [first, process.env.PATH ?? ''].join(delimiter), HOME: folder.path, CI: 'true', NO_COLOR: '1' };
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-c', line], { cwd: folder.path, env }, (error, stdout, stderr) => {
      if (typeof error?.code === 'string') reject(error);
      else resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}
