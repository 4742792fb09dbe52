/**
 * `npm run test:first-hour`: from the tarball and an `mcp.json` with three stdio servers from npm to a tool call, as a new user would, with the
 * time of each step. It needs npm's registry.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { pack } from '../../build/package/pack.ts';
import { ROOT, start, type TemporaryFolder, temporaryFolder } from '../support/process.ts';

const execute = promisify(execFile);

const LINTEL = join(ROOT, 'dist/lintel.js');

/** The servers by their names in the client's file. Their versions are pinned, so that only a change of Lintel changes the list of tools. */
const SERVERS = (data: string) => ({
  everything: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-everything@2026.8.31'] },
  files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@2026.8.31', data] },
  memory: {
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-memory@2026.8.31'],
    env: { MEMORY_FILE_PATH: join(data, 'memory.json') },
  },
});

/** Seconds on a machine without other load. Elapsed time is only printed, since a busy machine takes longer. */
const BUDGETS = { ours: 3, all: 60, init: 1 };

type Owner = 'ours' | 'others';

/** The time of each step, by whose time it is: Lintel's own, or that of npm and the servers. */
class Stopwatch {
  readonly #seconds: Record<Owner, number> = { ours: 0, others: 0 };
  /** Lintel's processor time, which other load on the machine changes less than elapsed time. Seconds. */
  #processor = 0;

  /**
   * Prints the step when it ends, so that the last line shows where a run hangs.
   *
   * @param running the id of a program that the step starts and that goes on
   */
  async time<T>(step: string, owner: Owner, work: () => Promise<T>, running?: number): Promise<T> {
    const before = performance.now();
    const processorBefore = readProcessorSeconds('self').ended;
    const result = await work();
    const seconds = (performance.now() - before) / 1000;
    this.#seconds[owner] += seconds;
    if (owner === 'others') {
      print(seconds, owner, step);
      return result;
    }
    const ended = readProcessorSeconds('self').ended - processorBefore;
    const processor = ended + (running === undefined ? 0 : sumOwnProcesses(running));
    this.#processor += processor;
    print(seconds, owner, `${step} (${processor.toFixed(2)} s of processor time)`);
    return result;
  }

  /** Where a processor is free, a program whose processor time is within the budget also ends within it. */
  expectWithin(budget: number): void {
    const used = `${this.#processor.toFixed(2)} s of processor time, with a budget of ${budget} s`;
    print(this.#seconds.ours, 'ours', `together: ${used} (load average ${loadavg()[0]?.toFixed(1)})`);
    expect(this.#processor).toBeLessThan(budget);
  }

  get all(): number {
    return this.#seconds.ours + this.#seconds.others;
  }
}

function print(seconds: number, owner: string, text: string): void {
  process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${owner.padEnd(6)}  ${text}\n`);
}

/** In a second, as the kernel shows them to programs on every Linux. */
const CLOCK_TICKS = 100;

/** What a process used itself, and what its children used that have ended (proc(5), `stat`); zero where there is no /proc. Seconds. */
function readProcessorSeconds(pid: number | 'self'): { readonly own: number; readonly ended: number } {
  if (!existsSync('/proc/self/stat')) return { own: 0, ended: 0 };
  const [, afterName = ''] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = afterName.split(' ').slice(11, 15).map(Number);
  return { own: (user + system) / CLOCK_TICKS, ended: (endedUser + endedSystem) / CLOCK_TICKS };
}

/** The processor time of Lintel's processes from this one down, without the servers that they started. Seconds. */
function sumOwnProcesses(pid: number): number {
  if (!existsSync(`/proc/${pid}/task`)) return 0;
  const isOwn = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/dist/lintel');
  const children = readdirSync(`/proc/${pid}/task`).flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  const own = isOwn ? readProcessorSeconds(pid).own : 0;
  return children.reduce((sum, child) => sum + sumOwnProcesses(child), own);
}

/** The variables that decide how this machine reaches npm's registry. */
const REACHING = ['HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS', 'NO_PROXY', 'SSL_CERT_FILE', 'npm_config_registry'];

/** The environment of a new user, with an empty cache and home folder. */
function newcomer(folder: TemporaryFolder) {
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder.file('home'),
    npm_config_cache: folder.file('home/npm'),
    npm_config_update_notifier: 'false',
    ...Object.fromEntries(
      REACHING.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
    ),
  };
  const cwd = folder.file('project');
  return {
    env,
    cwd,
    run: async (program: string, ...args: readonly string[]) => (await execute(program, args, { env, cwd })).stdout,
  };
}

async function toolsOf(server: { command: string; args: readonly string[]; env?: object }, env: object, cwd: string) {
  const client = new Client({ name: 'test', version: '1' });
  const { command, args } = server;
  const variables = { ...env, ...server.env } as Record<string, string>;
  const transport = new StdioClientTransport({ command, args: [...args], env: variables, cwd, stderr: 'ignore' });
  // npx alone takes longer than the default limit on a busy machine.
  await client.connect(transport, { timeout: 500_000 });
  try {
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
}

test('a new user installs the npm tarball, imports an mcp.json with three servers, and calls a tool', {
  timeout: 900_000,
}, async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file('project/data'), { recursive: true });
  await mkdir(folder.file('home'), { recursive: true });
  const { env, cwd, run } = newcomer(folder);
  const watch = new Stopwatch();
  const { file: tarball } = await pack(folder.path);
  const servers = SERVERS(join(cwd, 'data'));
  await folder.write({ 'project/mcp.json': JSON.stringify({ mcpServers: servers }), 'project/package.json': '{}' });

  await watch.time('npm install', 'others', () => run('npm', 'install', '--no-audit', '--no-fund', tarball));
  const lintel = join(cwd, 'node_modules', '.bin', 'lintel');
  const report = await watch.time('lintel import', 'ours', () => run(lintel, 'import', 'mcp.json'));
  expect(report).not.toContain('Not carried over');
  expect(report).toContain('npx lintel dev ');
  await watch.time('lintel check', 'ours', () => run(lintel, 'check'));

  await using gateway = start(
    join(cwd, 'node_modules/lintel/dist/lintel.js'),
    ['dev', '--port', '0', '--internal-address', '127.0.0.1:0'],
    { cwd, env },
  );
  const { url } = await watch.time(
    'lintel dev, until it listens',
    'ours',
    () => gateway.announcement<{ readonly url: string }>(),
    gateway.pid,
  );
  const offered = async () =>
    (JSON.parse(await run(lintel, 'ls', url, '--format', 'json')) as { tools: { name: string }[] }).tools.map(
      ({ name }) => name,
    );
  await watch.time('npx downloads the servers, until each shows its tools', 'others', async () => {
    await expect
      .poll(async () => new Set((await offered()).map(name => name.split('_')[0])), { interval: 500, timeout: 500_000 })
      .toEqual(new Set(Object.keys(servers)));
  });
  const answer = await watch.time('lintel call', 'ours', () =>
    run(lintel, 'call', 'everything_echo', '{"message":"hello"}', '--url', url),
  );
  expect(answer).toContain('hello');
  watch.expectWithin(BUDGETS.ours);
  print(watch.all, 'all', `together, with a budget of ${BUDGETS.all} s`);

  const direct = await Promise.all(
    Object.entries(servers).map(async ([name, server]) =>
      (await toolsOf(server, env, cwd)).map(tool => `${name}_${tool}`),
    ),
  );
  expect((await offered()).sort()).toEqual(direct.flat().sort());
  // Each of them was started once for all probes, however long its download took.
  const started =
    gateway.stderr.text.match(/"server":"default\/\w+"[^\n]*the server was started|the server was started/g) ?? [];
  process.stdout.write(`${started.length} processes of servers were started\n`);
});

test('a new user runs `lintel init`, and `lintel check` of the created specs finds no errors', {
  timeout: 300_000,
}, async () => {
  await using folder = await temporaryFolder();
  await mkdir(folder.file('project'), { recursive: true });
  await mkdir(folder.file('home'), { recursive: true });
  const { run } = newcomer(folder);
  const watch = new Stopwatch();
  await watch.time('lintel init --yes', 'ours', () => run(process.execPath, LINTEL, 'init', '--yes'));
  const report = await watch.time('lintel check', 'ours', () => run(process.execPath, LINTEL, 'check'));
  // The placeholder in place of a server's URL is a warning, with which the check ends with exit code 0.
  expect(report).toMatch(/^1 warning in 1 file /m);
  watch.expectWithin(BUDGETS.init);
});
