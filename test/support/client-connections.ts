/** The client connections of this process, whichever library opened them. */
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
 * Resolves when the client has noticed that the connections that were open at the time of the call are closed. Call it before they are broken: a
 * request that is sent before may still go to one of them.
 */
export async function connectionsGone(fits: (socket: Socket) => boolean): Promise<void> {
  const gone = [...sockets].filter(fits).map(socket => new Promise(resolve => socket.once('close', resolve)));
  await Promise.all(gone);
  // The client reads pending data first.
  await setImmediate();
}

/** Resolves like `connectionsGone` for the connections to one port. */
export function connectionsToGone(port: number): Promise<void> {
  return connectionsGone(({ remotePort }) => remotePort === port);
}
