/** A worker process, as the primary process sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import type { SharedSessions } from '../shared-sessions/store.ts';
import { Channel } from './channel.ts';
import type { ConnectionTaker, Dispatcher } from './dispatcher.ts';
import type { ConnectionNote, PrimaryHandlers, WorkerHandlers } from './messages.ts';
import { createSessionHandlers } from './session-host.ts';
import type { SharedHosts } from './shared-hosts.ts';

export class WorkerProcess implements ConnectionTaker {
  readonly number: number;
  readonly channel: Channel<WorkerHandlers>;
  /** How the process exited, as text. */
  readonly ended: Promise<string>;
  readonly replica: number;
  readonly startedAt: Date = new Date();
  /** Digest of the bundle that the worker serves. */
  digest = '';
  isReady = false;
  hasEnded = false;
  #isServing = false;
  readonly #child: ChildProcess;
  readonly #sessions: SharedSessions;
  readonly #dispatcher: Dispatcher;
  /** Connections that are being passed to the worker, by number. They stay open in the primary until the worker has accepted them. */
  readonly #passing = new Map<number, Socket>();
  #lastPassed = 0;

  /** Starts the program again as a worker, with the options of this process. */
  constructor(number: number, hosts: SharedHosts) {
    const { sessions, tokens, embeddings, dispatcher, audit } = hosts;
    this.number = number;
    this.#sessions = sessions.join();
    this.replica = this.#sessions.replica;
    this.#dispatcher = dispatcher;
    const [, program = '', ...options] = process.argv;
    const child = fork(program, ['worker', ...options]);
    this.#child = child;
    const answers: PrimaryHandlers = {
      session: createSessionHandlers(
        this.#sessions,
        message => void this.channel.ask('message', message).catch(() => {}),
      ),
      tick: () => null,
      take: call => tokens.take(call),
      record: record => audit.add(record)?.then(() => null) ?? null,
      embeddingOrigin: plan => embeddings.origin(plan),
      embed: call => embeddings.embed(call),
      embedQuery: call => embeddings.embedQuery(call),
      metrics: () => hosts.metrics(),
      took: connection => this.#took(connection),
      retire: () => this.retire(),
    };
    this.channel = new Channel<WorkerHandlers>(answers, batch => this.#send(batch));
    child.on('message', batch => this.channel.receive(batch));
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    const end = (how: string): void => {
      this.#leave();
      resolve(how);
    };
    child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    // If the process could not be started, for example at the limit of processes, no `exit` event follows, and there is no `pid`. If a message to a
    // dying process could not be sent, an `exit` event follows.
    child.on('error', error => {
      if (child.pid === undefined) end(error.message);
    });
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** Whether the worker serves clients. */
  get isServing(): boolean {
    return this.#isServing;
  }

  get untaken(): number {
    return this.#passing.size;
  }

  /** From now on, connections are passed to the worker. */
  serve(): void {
    if (this.hasEnded) return;
    this.#isServing = true;
    this.#dispatcher.add(this);
  }

  give(connection: Socket): void {
    const number = ++this.#lastPassed;
    this.#passing.set(number, connection);
    // The connection stays open in this process as well, because the worker may crash before it accepts the connection.
    this.#child.send({ connection: number } satisfies ConnectionNote, connection, { keepOpen: true }, () => {});
  }

  /** From now on, no connections are passed to the worker. */
  retire(): null {
    this.#isServing = false;
    this.#dispatcher.remove(this);
    return null;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #took(number: number): null {
    this.#passing.get(number)?.destroy();
    this.#passing.delete(number);
    return null;
  }

  #leave(): void {
    this.hasEnded = true;
    this.isReady = false;
    this.retire();
    this.#sessions.close();
    this.channel.close();
    for (const connection of this.#passing.values()) this.#dispatcher.dispatch(connection);
    this.#passing.clear();
  }

  #send(batch: unknown): void {
    if (this.#child.connected) this.#child.send(batch as object, () => {});
  }
}
