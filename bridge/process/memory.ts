/** Memory that the processes of several groups use together. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/**
 * The size of a memory page in bytes, which is the unit of the numbers in `/proc/<pid>/statm`. Undefined on arm64, where the size differs between
 * machines.
 */
const PAGE_BYTES = process.arch === 'arm64' && process.platform === 'linux' ? undefined : 4096;

/**
 * Resident bytes, by the id of the group. Memory that processes share is counted for each of them.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export async function readGroupMemory(): Promise<ReadonlyMap<number, number>> {
  // Machines with another page size and systems without `/proc` report the memory through `ps`.
  return process.platform === 'linux' && PAGE_BYTES !== undefined ? fromProc(PAGE_BYTES) : fromPs();
}

async function fromProc(pageBytes: number): Promise<ReadonlyMap<number, number>> {
  const groups = new Map<number, number>();
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  for (const pid of pids) {
    // The process may have ended since the folder was listed.
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
    // The name of the program, in parentheses, may contain anything, so the fields are read from the text after it: state, parent, group
    // and so on.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    add(groups, Number(fields[2]), Number(fields[21]) * pageBytes);
  }
  return groups;
}

async function fromPs(): Promise<ReadonlyMap<number, number>> {
  const groups = new Map<number, number>();
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pgid=,rss=']);
  for (const line of stdout.split('\n')) {
    const [group, kilobytes] = line.trim().split(/\s+/).map(Number);
    add(groups, group ?? Number.NaN, (kilobytes ?? Number.NaN) * 1024);
  }
  return groups;
}

function add(groups: Map<number, number>, group: number, bytes: number): void {
  if (Number.isFinite(bytes)) groups.set(group, (groups.get(group) ?? 0) + bytes);
}
