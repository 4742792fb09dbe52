import { createServer } from 'node:net';

/** Whether a program can listen on this port of the loopback interface. */
export function isFree(port) {
  return new Promise(resolve => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
