/**
 * Reacts to the end of `npx lintel-runtime`. npm sends a signal to the shell that started the program, and a shell such as dash ends without
 * forwarding the signal. Without this file, the program would continue as an orphan and keep its port.
 */

/** Polling interval; milliseconds. */
const CHECK_MS = 1_000;

/**
 * Ends this process as SIGTERM does, once the shell that npm started is gone. Other parents may orphan programs on purpose, so this applies to
 * npm alone. The first process of a container has no parent that can end.
 */
export function endWithNpm({ npm_command: npm = '' }: NodeJS.ProcessEnv = process.env): Disposable {
  if (npm === '') return { [Symbol.dispose]: () => {} };
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, CHECK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
