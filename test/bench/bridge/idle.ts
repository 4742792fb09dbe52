/** Measures how much memory a bridge needs for idle stdio servers. Linux only: it reads `/proc`. */
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, PLAIN, plan, startBridge } from '../../bridge/running-bridge.ts';

export interface IdleMemory {
  readonly bridgeMb: number;
  /** What each server adds to the memory of the bridge and to that of the watcher of its process group. */
  readonly perServerMb: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/** How long to wait after the last message until V8 has collected garbage and returned pages; milliseconds. */
const SETTLED_MS = 3_000;

export async function measureIdle(servers: number): Promise<IdleMemory> {
  const one = await memoryOf(1);
  const all = await memoryOf(servers);
  const added = all.bridgeMb + all.watchersMb - (one.bridgeMb + one.watchersMb);
  return { bridgeMb: all.bridgeMb, perServerMb: added / (servers - 1) };
}

async function memoryOf(servers: number): Promise<{ readonly bridgeMb: number; readonly watchersMb: number }> {
  const names = Array.from({ length: servers }, (_, index) => `server-${index}`);
  await using bridge = await startBridge(Object.fromEntries(names.map(name => [name, plan(PLAIN)])));
  const connections = await Promise.all(names.map(name => connect(bridge.urlOf(name))));
  await Promise.all(connections.map(({ client }) => client.callTool({ name: 'any', arguments: {} })));
  await sleep(SETTLED_MS);
  const processes = await allProcesses();
  // The program of a server is the first process of its group.
  const groups = new Set(processes.filter(({ parent }) => parent === bridge.program.pid).map(({ pid }) => pid));
  if (groups.size !== servers) throw new Error(`the bridge has ${groups.size} processes for ${servers} servers`);
  const watchers = processes.filter(({ pid, group }) => groups.has(group) && pid !== group);
  const watchersMb = (await Promise.all(watchers.map(({ pid }) => memoryMb(pid)))).reduce((sum, mb) => sum + mb, 0);
  const bridgeMb = await memoryMb(bridge.program.pid);
  await Promise.all(connections.map(({ client }) => client.close()));
  return { bridgeMb, watchersMb };
}

/** `stat` of proc(5); the name of a program may have spaces and parentheses. */
async function allProcesses(): Promise<readonly Process[]> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  const texts = await Promise.all(pids.map(pid => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return pids.flatMap((pid, index) => {
    const text = texts[index] ?? '';
    const [, parent, group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return text === '' ? [] : [{ pid, parent: Number(parent), group: Number(group) }];
  });
}

/** The proportional memory of a process: shared pages count in part for each process that uses them. */
async function memoryMb(pid: number): Promise<number> {
  const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
