/** The child processes of a process, from Linux's /proc. */
import { readFileSync } from 'node:fs';

export interface ChildProcessEntry {
  readonly pid: number;
  readonly commandLine: string;
}

/** The running child processes of a process, and their child processes, at any depth. */
export function childProcesses(pid: number): readonly ChildProcessEntry[] {
  const children = textOf(`/proc/${pid}/task/${pid}/children`).split(' ').map(Number).filter(Boolean);
  return children.flatMap(child => [
    { pid: child, commandLine: textOf(`/proc/${child}/cmdline`).replaceAll('\0', ' ').trim() },
    ...childProcesses(child),
  ]);
}

/** Kills the running child processes; one that exits at that moment needs no signal. */
export function killChildren(pid: number): void {
  for (const { pid: child } of childProcesses(pid)) {
    try {
      process.kill(child, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Whether a process exists and is not a zombie. */
export function isRunning(pid: number): boolean {
  return !['', 'Z', 'X'].includes(fieldsOf(pid)[0] ?? '');
}

/** Processor time so far, in ticks of 10 ms. */
export function readTicks(pid: number): number {
  const fields = fieldsOf(pid);
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/**
 * The fields of a process's `stat` file from the state on; the name before it may contain anything.
 *
 * @see proc_pid_stat(5)
 */
function fieldsOf(pid: number): readonly string[] {
  return textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
}

/** The text of a file below `/proc`; empty for a process that has exited. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
