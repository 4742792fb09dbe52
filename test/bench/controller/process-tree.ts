/** Reads the memory of a process and its child processes. */
import { readdirSync, readFileSync } from 'node:fs';

interface Memory {
  /** Resident now; MB. */
  readonly now: number;
  /** The part of `now` that the process itself uses, without its child processes. */
  readonly root: number;
  /**
   * The memory that counts toward a pod's limit: private memory, and mapped files such as Node's executable, once for all processes that map them.
   *
   * @see https://docs.kernel.org/admin-guide/cgroup-v2.html#memory-ownership
   */
  readonly charged: number;
  /** Sum of the peaks of all processes: an upper bound of their common peak. */
  readonly peak: number;
}

export function memoryOfTree(root: number): Memory {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    const status = Number.isInteger(pid) ? read(pid, 'status') : undefined;
    if (status !== undefined) parents.set(pid, field(status, 'PPid'));
  }
  const isBelow = (pid: number): boolean => pid === root || (parents.has(pid) && isBelow(parents.get(pid) ?? 0));
  const texts = [...parents.keys()].filter(isBelow).map(pid => read(pid, 'status') ?? '');
  const sum = (name: string) => texts.reduce((total, text) => total + field(text, name), 0) / 1024;
  const mapped = Math.max(0, ...texts.map(text => field(text, 'RssFile'))) / 1024;
  return {
    now: sum('VmRSS'),
    root: field(read(root, 'status') ?? '', 'VmRSS') / 1024,
    charged: sum('RssAnon') + sum('RssShmem') + mapped,
    peak: sum('VmHWM'),
  };
}

/** Reads a file of a process below `/proc`; undefined when the process has exited meanwhile. */
function read(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}

function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
}
