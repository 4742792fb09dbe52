/** The processes that a process started, as Linux tells. */
import { readFileSync } from 'node:fs';

export interface ChildProcessEntry {
  readonly pid: number;
  readonly commandLine: string;
}

/** Those that run now, at any depth. */
export function childProcesses(pid: number): readonly ChildProcessEntry[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').map(Number).filter(Boolean);
  return children.flatMap(child => [
    { pid: child, commandLine: textOf(`/proc/${child}/cmdline`).replaceAll('\0', ' ').trim() },
    ...childProcesses(child),
  ]);
}

/** Kills those that run now; one that ends in the same moment needs no signal any more. */
export function killChildren(pid: number): void {
  for (const { pid: child } of childProcesses(pid)) {
    try {
      process.kill(child, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Whether a process is there and not merely waiting to be buried. */
export function isRunning(pid: number): boolean {
  return !['', 'Z', 'X'].includes(fieldsOf(pid)[0] ?? '');
}

/** Processor time so far, in ticks of 10 ms. */
export function ticksOf(pid: number): number {
  const fields = fieldsOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** From the state on; the name before it may hold anything. @see proc_pid_stat(5) */
function fieldsOf(pid: number): readonly string[] {
  return textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
}

/** Empty for a process that is gone. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
