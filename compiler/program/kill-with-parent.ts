import { type ChildProcess, spawn } from 'node:child_process';

/** Ends when its standard input is closed. It ignores signals that a terminal sends to the whole group. */
const WATCH = `trap '' HUP INT QUIT TERM; read -r _; kill -9 "$1"`;

/**
 * Ends a child when this process dies, even by SIGKILL. A channel to the child is not enough: a looping program never reads it, and the
 * permissions refuse threads. Instead, a shell waits for the end of a pipe, which the kernel closes when this process dies.
 *
 * Without `sh`, such as on Windows, the child ends by itself.
 */
export function killWithParent(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const watch = spawn('sh', ['-c', WATCH, 'sh', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  watch.on('error', () => {});
  watch.stdin.on('error', () => {});
  // The process is ended before its id can be reused.
  child.once('exit', () => watch.kill('SIGKILL'));
}
