/**
 * `npm run test:mutations -- [--room ROOM] [--count 20] [--seed 1]`: makes one change at a time in the compiler, the runtime and the controller,
 * and runs the tests that import the file. A mutation that no test detects survives. Works on a copy of the working tree; the same seed selects
 * the same mutations of the same sources. Exits with 0, because the reader decides whether a survivor matters; see the README.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { applyMutation, chooseMutations, findMutations, type Mutation } from './mutate.ts';

const ROOT = join(import.meta.dirname, '../..');
const ROOMS = ['compiler', 'runtime', 'controller'];

/** The time limit of one test, because a mutation may make a test wait forever; milliseconds. */
const TEST_TIMEOUT_MS = 60_000;
/** The time limit of all tests for one mutation. Hundreds of tests import some files; milliseconds. */
const LIMIT_MS = 20 * 60_000;

/** Folders with installed or built files, which no test changes, so the copy has links to them. */
const LINKED = ['node_modules', 'dist', 'build/node/node_modules', 'test/peers/packages/node_modules'];

type Result = 'killed' | 'survived' | 'no test' | 'timed out';

const { values } = parseArgs({
  options: {
    room: { type: 'string', multiple: true },
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
  },
});
const rooms = values.room ?? ROOMS;
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })
  .trim()
  .split('\n');
const copy = await mkdtemp(join(tmpdir(), 'lintel-mutations-'));
try {
  await copyTree();
  for (const room of rooms) await mutateRoom(room);
} finally {
  await rm(copy, { recursive: true, force: true });
}

async function copyTree(): Promise<void> {
  for (const file of files) {
    await mkdir(dirname(join(copy, file)), { recursive: true });
    // A file that was deleted without a commit does not exist.
    await cp(join(ROOT, file), join(copy, file)).catch(() => {});
  }
  for (const path of LINKED) await symlink(join(ROOT, path), join(copy, path)).catch(() => {});
}

async function mutateRoom(room: string): Promise<void> {
  const sources = files.filter(
    file => file.startsWith(`${room}/`) && file.endsWith('.ts') && !file.includes('/generated/'),
  );
  const all: Mutation[] = [];
  for (const file of sources) all.push(...findMutations(file, await readFile(join(copy, file), 'utf8')));
  const chosen = chooseMutations(all, Number(values.count), Number(values.seed));
  const counts = new Map<Result, number>();
  for (const mutation of chosen) {
    const result = await runMutation(mutation);
    counts.set(result, (counts.get(result) ?? 0) + 1);
    process.stdout.write(`${result.padEnd(9)} ${mutation.file}:${mutation.line} ${mutation.kind}\n`);
  }
  const summary = [...counts].map(([result, count]) => `${count} ${result}`).join(', ');
  process.stdout.write(`${room}: ${summary}, of ${chosen.length} out of ${all.length}, seed ${values.seed}\n`);
}

async function runMutation(mutation: Mutation): Promise<Result> {
  const path = join(copy, mutation.file);
  const text = await readFile(path, 'utf8');
  await writeFile(path, applyMutation(text, mutation));
  try {
    return await runRelated(mutation.file);
  } finally {
    await writeFile(path, text);
  }
}

async function runRelated(file: string): Promise<Result> {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'related', file, '--run', '--bail=1', `--testTimeout=${TEST_TIMEOUT_MS}`, '--passWithNoTests'];
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, LINTEL_TESTS: 'quick' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    // The workers are in its process group.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, LIMIT_MS);
  const code = await new Promise(resolve => child.on('close', resolve));
  clearTimeout(timer);
  if (isLate) return 'timed out';
  if (output.includes('No test files found')) return 'no test';
  return code === 0 ? 'survived' : 'killed';
}
