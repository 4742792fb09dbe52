/** Starts the processes of the benchmark, and reads their processor time and memory from the kernel. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { formatCanonicalJson } from '#schemas';
import { type BundleOptions, backendPlan, gatewayBundle } from '../../support/gateway.ts';
import { readImageSettings } from '../image-settings.ts';

export const ROOT: string = resolve(import.meta.dirname, '../../..');

export interface Server extends AsyncDisposable {
  readonly url: string;
  /** For a gateway: the URL of `/status`. */
  readonly internalUrl: string;
  readonly pid: number;
  /** The milliseconds from the start of the process to the line with its listening address. */
  readonly listeningMs: number;
}

/** Spawns a program that prints one JSON line with its `url`; `await using` stops it. */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const begin = performance.now();
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  const line = once(createInterface({ input: child.stdout }), 'line') as Promise<[string]>;
  const ended = exited.then(([code]) => Promise.reject(new Error(`${args.join(' ')} ended with exit code ${code}`)));
  ended.catch(() => {}); // After that line, the rejection is only how the process stops.
  const [text] = await Promise.race([line, ended]);
  const listeningMs = performance.now() - begin;
  const { url, internal: internalUrl = '' } = JSON.parse(text) as { url: string; internal?: string };
  return {
    url,
    internalUrl,
    pid: getPid(child),
    listeningMs,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export const startBackend = (...args: string[]): Promise<Server> =>
  startServer([join(import.meta.dirname, 'backend.mjs'), ...args]);

export const startBareProxy = (backend: Server, ...args: string[]): Promise<Server> =>
  startServer([join(import.meta.dirname, 'bare-proxy.mjs'), backend.url, ...args]);

/** Starts the lean proxy with the settings of the gateway's image, on which memory depends. */
export async function startLeanProxyAsImage(backend: Server): Promise<Server> {
  const { nodeOptions, env } = await readImageSettings('runtime');
  return startServer([...nodeOptions, join(import.meta.dirname, 'bare-proxy.mjs'), backend.url, '--lean'], env);
}

export const startBareList = (backend: Server, backends: number): Promise<Server> =>
  startServer([join(import.meta.dirname, 'bare-list.mjs'), backend.url, String(backends)]);

export const startBareHttp = (): Promise<Server> => startServer([join(import.meta.dirname, '../bare-http.mjs')]);

export interface GatewayOptions {
  /** Settings of the gateway's bundle. By default the gateway admits every caller, who may do everything. */
  readonly policy?: Pick<
    BundleOptions,
    | 'incomingAuth'
    | 'authorization'
    | 'rateLimiting'
    | 'sessionStorage'
    | 'telemetry'
    | 'audit'
    | 'workflows'
    | 'optimizer'
  >;
  readonly nodeOptions?: readonly string[];
  /** Options of `lintel-runtime`. */
  readonly options?: readonly string[];
  /** The path of `lintel-runtime`. By default the one in `dist/`. */
  readonly program?: string;
}

/**
 * Starts the gateway as its image does, in front of the backends `names` of one backend process. A backend whose path ends in `/sse` uses
 * HTTP+SSE; `prefix` turns `json` and `tool_0` into `json_tool_0`.
 */
export async function startGateway(
  folder: string,
  backend: Server,
  names: ReadonlyMap<string, string>,
  { policy = {}, nodeOptions = [], options = [], program = 'dist/lintel-runtime.js' }: GatewayOptions = {},
): Promise<Server> {
  const backends = [...names].map(([name, path]) =>
    backendPlan(name, `${backend.url}${path}`, { transport: path.endsWith('/sse') ? 'sse' : 'streamable-http' }),
  );
  const file = join(folder, 'bundle.json');
  await writeFile(file, formatCanonicalJson(gatewayBundle({ backends, ...policy })));
  const image = await readImageSettings('runtime');
  const args = [
    ...image.nodeOptions,
    ...nodeOptions,
    program,
    '--bundle',
    file,
    '--port',
    '0',
    '--internal-address',
    '127.0.0.1:0',
    ...options,
  ];
  return startServer(args, image.env);
}

/** Lets {@link collectGarbage} trigger a collection in the process. */
export const COLLECTS_GARBAGE: readonly string[] = [
  '--expose-gc',
  '--import',
  // A last-resort collection also returns the pages that V8 would keep for the next load.
  'data:text/javascript,process.on("SIGUSR2",()=>gc({type:"major",flavor:"last-resort"}))',
];

/** Triggers a garbage collection in a process, and waits until it has returned the memory. */
export async function collectGarbage({ pid }: Server): Promise<void> {
  process.kill(pid, 'SIGUSR2');
  await new Promise(done => setTimeout(done, 1_500));
}

/** `count` backends in one process, each with a path of its own. */
export function manyBackends(count: number): Map<string, string> {
  return new Map(Array.from({ length: count }, (_, index) => [`b${index}`, `b${index}/mcp`]));
}

export function getPid(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('the process has no id');
  return child.pid;
}

/**
 * User and system time of all threads of a process so far; microseconds. It is read from the scheduler's nanosecond clock, because the clock in
 * `stat` has ticks of 10 ms. Threads that have ended are missing, but Node's threads last as long as the process.
 */
export async function cpuUs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = threads.map(async thread => {
    const [ran] = (await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ');
    return Number(ran) / 1e3;
  });
  return (await Promise.all(times)).reduce((sum, us) => sum + us, 0);
}

/** Resident memory in megabytes: now, and its peak since {@link forgetPeak}. */
export async function memoryMb(pid: number): Promise<{ readonly now: number; readonly peak: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** Resets the peak of a process's resident memory. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}
