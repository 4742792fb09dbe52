/** Starts and ends the programs of the example. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';

const running = new Set();

/** Starts a program; its standard error goes to the terminal. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Starts a script whose first line of output is JSON with the URLs on which it listens. */
export async function startListening(args, options) {
  const child = start(process.execPath, args, options);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${args[0]} ended with exit code ${code} before it was ready`);
  });
  ended.catch(() => {}); // After the first line, an exit is no error.
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  return { child, ...JSON.parse(line) };
}

/** Runs a script and waits until it has ended. */
export async function run(args) {
  const child = start(process.execPath, args);
  child.stdout.resume();
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with exit code ${code}`);
}

export function killAll() {
  for (const child of running) child.kill('SIGKILL');
}

/** A free port of the loopback interface. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Waits until a program listens on a port of the loopback interface. */
export async function listens(port, child) {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw new Error(`${child.spawnfile} ended before it listened`);
}
