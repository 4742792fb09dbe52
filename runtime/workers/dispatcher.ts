/** Listens for all workers, and gives each connection to one of them before anything of it is read. */

import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from '#util';
import { listenError } from '../http/listen.ts';
import type { Logger } from '../observe/log.ts';

/** Connections that wait for a worker while there is none; more are closed. */
const MAX_WAITING = 1_000;

/** Takes connections. */
export interface ConnectionTaker {
  /** Connections that it was given and has not taken yet: a busy one has more. */
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
      // Clients that give up while their connection is on its way.
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
        // A connection that cannot be accepted, as when the kernel has no room for it: later ones may.
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

  /** Gives a connection to the next of those that have the fewest to take. */
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

  /** Accepts nothing more; connections that wait are closed. */
  close(): void {
    this.#server.close();
    for (const connection of this.#waiting) connection.destroy();
    this.#waiting = [];
  }
}
