/** Listens on the address for clients, and passes each connection to one of the workers before any byte is read. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from '#shared/util';
import { listenError } from '../http/listen.ts';
import type { Logger } from '../observe/log.ts';

/** Maximum number of connections that wait while no worker is available; further connections are closed. */
const MAX_WAITING = 1_000;

/** A worker to which connections can be passed. */
export interface ConnectionTaker {
  /** Number of connections that were passed to the worker and that it has not accepted yet. It is higher for a busy worker. */
  readonly untaken: number;
  give(connection: Socket): void;
}

export class Dispatcher {
  readonly #server: Server;
  readonly #log: Logger;
  readonly #takers: ConnectionTaker[] = [];
  #waiting: Socket[] = [];
  #next = 0;

  constructor(log: Logger) {
    this.#log = log;
    this.#server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, connection => {
      // The client may close the connection before a worker accepts it; the error is dropped.
      connection.on('error', () => {});
      this.dispatch(connection);
    });
  }

  /**
   * @returns the port that was bound
   * @throws ListenError
   */
  listen({ host, port }: Address): Promise<number> {
    return new Promise((resolve, reject) => {
      const failed = (error: Error) => reject(listenError('--host/--port', { host, port }, error));
      this.#server.once('error', failed);
      this.#server.listen(port, host, () => {
        this.#server.off('error', failed);
        // The kernel may lack memory or file descriptors for one connection, and still accept later connections.
        this.#server.on('error', error => this.#log.error({ err: error }, 'the listener failed'));
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  add(taker: ConnectionTaker): void {
    this.#takers.push(taker);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const connection of waiting) this.dispatch(connection);
  }

  remove(taker: ConnectionTaker): void {
    const at = this.#takers.indexOf(taker);
    if (at >= 0) this.#takers.splice(at, 1);
  }

  /** Passes a connection to the next worker among those with the fewest untaken connections. */
  dispatch(connection: Socket): void {
    if (connection.destroyed) return;
    const takers = this.#takers;
    let best: ConnectionTaker | undefined;
    for (let step = 0; step < takers.length; step++) {
      const taker = takers[(this.#next + step) % takers.length] as ConnectionTaker;
      if (best === undefined || taker.untaken < best.untaken) best = taker;
    }
    if (best !== undefined) {
      this.#next = takers.indexOf(best) + 1;
      best.give(connection);
    } else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(connection);
    else connection.destroy();
  }

  /** Accepts no more connections, and closes the waiting ones. */
  close(): void {
    this.#server.close();
    for (const connection of this.#waiting) connection.destroy();
    this.#waiting = [];
  }
}
