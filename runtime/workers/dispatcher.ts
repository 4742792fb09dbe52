/** Listens for all workers and passes each connection to one of them before any byte of it is read. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from '#util';
import { listenError } from '../http/listen.ts';
import type { Logger } from '../observe/log.ts';

/** Connections that wait while no worker is available; further ones are closed. */
const MAX_WAITING = 1_000;

/** Takes connections. */
export interface ConnectionTaker {
  /** Connections that were passed to the worker and that it has not taken yet. A busy worker has more of them. */
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
      // A client may close the connection before a worker takes it.
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
        // The kernel may be out of memory or file descriptors for one connection and accept later ones.
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

  /** Passes a connection to the next worker among those with the fewest untaken ones. */
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

  /** Accepts no more connections, and closes those that wait. */
  close(): void {
    this.#server.close();
    for (const connection of this.#waiting) connection.destroy();
    this.#waiting = [];
  }
}
