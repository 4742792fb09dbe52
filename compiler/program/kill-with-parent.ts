import { type ChildProcess, spawn } from 'node:child_process';

/** Ends when its standard input does. What a terminal sends to a whole group is not meant for it. */
const WATCH = `trap '' HUP INT QUIT TERM; read -r _; kill -9 "$1"`;

/**
 * Lets a child end when this process does, even by SIGKILL. A channel to the child would not do: a program that loops never looks at
 * it, and threads that could are what its permissions refuse. So a shell holds the other end of a pipe of ours, which the kernel closes.
 *
 * Where there is no `sh`, such as on Windows, the child is left to its own end.
 */
export function killWithParent(child: ChildProcess): void {
  if (child.pid === undefined) return;
  const watch = spawn('sh', ['-c', WATCH, 'sh', String(child.pid)], { stdio: ['pipe', 'ignore', 'ignore'] });
  watch.on('error', () => {});
  watch.stdin.on('error', () => {});
  // Before its number can be another's.
  child.once('exit', () => watch.kill('SIGKILL'));
}
