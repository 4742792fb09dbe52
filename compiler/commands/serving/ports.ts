/** Ports of this machine, on loopback. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** A port that no other program can take until it is released. */
export interface HeldPort {
  readonly port: number;
  release(): void;
}

/** Takes a free port. The socket does not keep this process alive, and accepts no connection. */
export async function holdFreePort(): Promise<HeldPort> {
  const server = createServer(socket => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { port, release: () => void server.close() };
}

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await new Promise(resolve => server.close(resolve));
  return true;
}
