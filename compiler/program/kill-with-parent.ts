import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Shell script that waits until its standard input is closed, and then kills the process `$1`. It ignores signals that a terminal sends to the whole
 * group.
 */
const WATCH = `trap '' HUP INT QUIT TERM; read -r _; kill -9 "$1"`;

/**
 * Ends a child when this process dies, even by SIGKILL. A channel to the child is not enough: a program in an endless loop never reads the channel,
 * and the child is not allowed to start a thread that could. Instead, a shell waits for the end of a pipe, which the kernel closes when this process
 * dies. Without `sh`, such as on Windows, the child ends by itself.
 */
export function killWithParent(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const watch = spawn('sh', ['-c', WATCH, 'sh', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  watch.on('error', () => {});
  watch.stdin.on('error', () => {});
  // After the end of the child, another process may get its id, so the shell must not kill this id any more.
  child.once('exit', () => watch.kill('SIGKILL'));
}
