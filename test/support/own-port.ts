/**
 * Listens on ports that no other process gets. After its server has closed, a port from the kernel may be given to another program. So a test
 * that expects a closed port, or restarts a server there, may find the server of another test.
 */
import { type AddressInfo, createServer, type Server } from 'node:net';

/** The first port of the first range: each of Vitest's workers has a range, below the ports that Linux itself assigns (32768 and up). */
const FIRST_PORT = 10_000;
const PORTS_OF_A_WORKER = 2_000;
const WORKERS = 10;

const firstOfWorker = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS) * PORTS_OF_A_WORKER;
let next = process.pid % PORTS_OF_A_WORKER;

/** Makes a server listen on loopback: on the given port, or on the next free one in this worker's range. Rejects when it cannot. */
export async function listenOnOwnPort(server: Server, port = 0): Promise<void> {
  if (port !== 0) return listen(server, port);
  for (let left = PORTS_OF_A_WORKER; left > 0; left--) {
    const candidate = firstOfWorker + (next++ % PORTS_OF_A_WORKER);
    try {
      return await listen(server, candidate);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error(`no port is free from ${firstOfWorker} on`);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** A port in this worker's range without a listener. */
export async function freeOwnPort(): Promise<number> {
  const server = createServer();
  await listenOnOwnPort(server);
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}
