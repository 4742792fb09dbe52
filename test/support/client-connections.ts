/** The connections that this process has opened as a client, whichever library opened them. */
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

const sockets = new Set<Socket>();

subscribe('net.client.socket', message => {
  const { socket } = message as { readonly socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
});

/**
 * Resolves when the client has noticed that those of them are gone which are open in the moment of the call. Call it before they are broken:
 * what is sent until then may still go to one of them.
 */
export async function connectionsGone(fits: (socket: Socket) => boolean): Promise<void> {
  const gone = [...sockets].filter(fits).map(socket => new Promise(resolve => socket.once('close', resolve)));
  await Promise.all(gone);
  // The client reads what it has to read first.
  await setImmediate();
}

/** The same of the connections to a port. */
export function connectionsToGone(port: number): Promise<void> {
  return connectionsGone(({ remotePort }) => remotePort === port);
}
