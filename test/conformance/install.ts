/**
 * Installs what the matrix and the clients need in addition to `node_modules`, once, into one folder, with the ordinary clients of the
 * registries.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { TestContext } from 'vitest';
import { ROOT } from '../support/process.ts';
import type { Suite } from './suite.ts';

/** `LINTEL_CONFORMANCE_CACHE`, or a folder that `npm ci` empties. */
const CACHE: string =
  process.env.LINTEL_CONFORMANCE_CACHE ?? join(ROOT, 'node_modules', '.cache', 'lintel-conformance');

/** The newest version of the suite that has only revisions with sessions; its successor is in `package.json`. */
const FORMER_SUITE = '0.1.16';

/** The error for a program that cannot be installed on this machine; its message gives the reason. */
export class Missing extends Error {}

export const MCP_REMOTE = '0.15.1';

/** The installed program; skips the test where it cannot be installed. */
export async function orSkip<T>({ skip }: Pick<TestContext, 'skip'>, installing: Promise<T>): Promise<T> {
  try {
    return await installing;
  } catch (error) {
    if (error instanceof Missing) skip(error.message);
    throw error;
  }
}

const execute = promisify(execFile);

/** The previous version of the suite. */
export async function formerSuite(): Promise<Suite> {
  const program = await npmProgram('@modelcontextprotocol/conformance', FORMER_SUITE, 'dist/index.js');
  return { program, takesTimeout: false };
}

/** A file of an npm package. */
export async function npmProgram(pkg: string, version: string, file: string): Promise<string> {
  const folder = join(CACHE, `${pkg.slice(pkg.lastIndexOf('/') + 1)}-${version}`);
  await installOnce(folder, () =>
    command('npm', ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${pkg}@${version}`]),
  );
  return join(folder, 'node_modules', pkg, file);
}

/** A built program of a Go module. */
export async function goProgram(pkg: string, version: string): Promise<string> {
  const folder = join(CACHE, `${pkg.replaceAll('/', '_')}@${version}`);
  await installOnce(folder, () => command('go', ['install', `${pkg}@${version}`], { GOBIN: folder }));
  return join(folder, pkg.slice(pkg.lastIndexOf('/') + 1));
}

/** The interpreter of an environment with the packages of a requirements file. */
export async function pythonWith(requirements: string, name: string): Promise<string> {
  const folder = join(CACHE, name);
  const python = join(folder, 'bin', 'python');
  await installOnce(folder, async () => {
    await command('python3', ['-m', 'venv', folder]);
    await command(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements]);
  });
  return python;
}

/** Longer than any installation takes: a process that holds the lock for longer was killed. */
const LOCK_MS = 10 * 60_000;

/** Test files run in parallel and several need the same program; two installations into one folder would corrupt each other. */
async function installOnce(folder: string, install: () => Promise<unknown>): Promise<void> {
  const [lock, done] = [`${folder}.lock`, join(folder, 'installed')];
  await mkdir(dirname(folder), { recursive: true });
  while (!existsSync(done)) {
    try {
      await mkdir(lock);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const { mtimeMs } = await stat(lock).catch(() => ({ mtimeMs: Date.now() }));
      if (Date.now() - mtimeMs > LOCK_MS) await rm(lock, { recursive: true, force: true });
      await pause(200);
      continue;
    }
    try {
      if (existsSync(done)) return;
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder);
      await install();
      await mkdir(done);
    } finally {
      await rm(lock, { recursive: true, force: true });
    }
  }
}

async function command(program: string, args: readonly string[], env: { readonly [name: string]: string } = {}) {
  try {
    await execute(program, args, { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Missing(`${program} is not installed`);
    throw new Missing(`${program} ${args.slice(0, 3).join(' ')} failed: ${stderr.trim().split('\n').at(-1) ?? ''}`);
  }
}
