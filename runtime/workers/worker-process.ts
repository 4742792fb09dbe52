/** One worker, as the primary sees it. */
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
  /** How it has ended, in words. */
  readonly ended: Promise<string>;
  readonly replica: number;
  readonly startedAt: Date = new Date();
  /** Digest of the bundle that it serves. */
  digest = '';
  isReady = false;
  hasEnded = false;
  #isServing = false;
  readonly #child: ChildProcess;
  readonly #sessions: SharedSessions;
  readonly #dispatcher: Dispatcher;
  /** By number: connections that are on their way. They stay open here until the worker has them. */
  readonly #given = new Map<number, Socket>();
  #lastGiven = 0;

  /** Starts a process: this program, with the options of this one. */
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
    // If no process was started, no `exit` follows, for example when the limit of processes is reached; it does follow when a message is sent to
    // a dying process.
    child.on('error', error => {
      if (child.pid === undefined) end(error.message);
    });
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** Clients are served by it. */
  get isServing(): boolean {
    return this.#isServing;
  }

  get untaken(): number {
    return this.#given.size;
  }

  /** From now on it is given connections. */
  serve(): void {
    if (this.hasEnded) return;
    this.#isServing = true;
    this.#dispatcher.add(this);
  }

  give(connection: Socket): void {
    const number = ++this.#lastGiven;
    this.#given.set(number, connection);
    // Open here as well: a worker that dies may not have it yet.
    this.#child.send({ connection: number } satisfies ConnectionNote, connection, { keepOpen: true }, () => {});
  }

  /** Is given no connection any more. */
  retire(): null {
    this.#isServing = false;
    this.#dispatcher.remove(this);
    return null;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #took(number: number): null {
    this.#given.get(number)?.destroy();
    this.#given.delete(number);
    return null;
  }

  #leave(): void {
    this.hasEnded = true;
    this.isReady = false;
    this.retire();
    this.#sessions.close();
    this.channel.close();
    for (const connection of this.#given.values()) this.#dispatcher.dispatch(connection);
    this.#given.clear();
  }

  #send(batch: unknown): void {
    if (this.#child.connected) this.#child.send(batch as object, () => {});
  }
}
