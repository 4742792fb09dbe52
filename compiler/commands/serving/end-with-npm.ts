/**
 * The end of `npx lintel dev` by a signal: npm hands it to the shell by which it starts us, and a shell such as dash ends without handing it on. The
 * program would go on, without a parent, and keep its port.
 */

/** Between two looks; milliseconds. */
const LOOK_MS = 1_000;

/** Ends this process as SIGTERM does, as soon as the shell is gone by which npm started it. Others start programs that go on without them on purpose. */
export function endWithNpm({ npm_command: npm = '' }: NodeJS.ProcessEnv = process.env): Disposable {
  if (npm === '') return { [Symbol.dispose]: () => {} };
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
