/** `lintel-runtime worker`: one of several processes that serve a gateway. The primary decides which bundle it serves, and when. */
import type { Socket } from 'node:net';
import { OptionError } from '#shared/util';
import type { LoadedBundle } from '../bundle/load.ts';
import type { PreparedBundle } from '../gateway/gateway.ts';
import { readAuditWriting } from '../observe/audit/settings.ts';
import type { Logger } from '../observe/log.ts';
import { SwapCounts } from '../observe/swap-counts.ts';
import { type OpenGateway, openGateway } from '../open-gateway.ts';
import type { RuntimeOptions } from '../options.ts';
import { collectGarbageAfterStart } from '../tuning/gc-after-start.ts';
import { Channel } from './channel.ts';
import { EmbeddingClient } from './embedding-client.ts';
import type {
  BundleUpdate,
  ConnectionNote,
  PrimaryHandlers,
  WorkerHandlers,
  WorkerReport,
  WorkerStart,
} from './messages.ts';
import { RecordClient } from './record-client.ts';
import { SessionClient } from './session-client.ts';
import { TokenClient } from './token-client.ts';

/**
 * Runs a worker.
 *
 * @returns resolves when the primary has ended the worker
 * @throws OptionError in a process that was not started by a primary
 */
export function runWorker(options: RuntimeOptions, log: Logger): Promise<void> {
  const send = process.send?.bind(process);
  if (send === undefined) throw new OptionError('worker: only `lintel-runtime --workers` starts this command');
  const worker = new Worker(options, log);
  const primary = new Channel<PrimaryHandlers>(worker.answers, batch => send(batch));
  worker.primary = primary;
  process.on('message', (message: unknown, connection?: Socket) => {
    if (Array.isArray(message)) primary.receive(message);
    else worker.take(message as ConnectionNote, connection);
  });
  // Ctrl-C in a terminal sends SIGINT to all processes of the group. The worker ignores it, and waits until the primary ends the worker.
  process.on('SIGINT', () => {});
  process.once('SIGTERM', () => {
    // If the call fails, the primary has exited and passes no more connections.
    void primary
      .ask('retire', null)
      .catch(() => {})
      .then(() => worker.stop());
  });
  process.once('disconnect', () => {
    primary.close();
    void worker.stop();
  });
  return worker.stopped;
}

class Worker {
  primary: Channel<PrimaryHandlers> | undefined;
  readonly #options: RuntimeOptions;
  readonly #log: Logger;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #gate: { opened: Promise<void> | undefined } = { opened: undefined };
  #openGate: () => void = () => {};
  #take: (connection: Socket) => void = connection => connection.destroy();
  #gateway: OpenGateway | undefined;
  #sessions: SessionClient | undefined;
  #stopping: Promise<null> | undefined;
  #prepared: PreparedBundle | undefined;

  constructor(options: RuntimeOptions, log: Logger) {
    this.#options = options;
    this.#log = log;
  }

  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  readonly answers: WorkerHandlers = {
    open: start => this.#open(start),
    settled: async () => {
      this.#served.start();
      await this.#served.settled;
      return null;
    },
    serve: () => {
      collectGarbageAfterStart();
      this.#take = this.#served.takeConnections();
      return null;
    },
    prepare: next => this.#prepare(next),
    discard: () => {
      this.#prepared?.discard();
      this.#prepared = undefined;
      return null;
    },
    hold: () => {
      if (this.#gate.opened !== undefined) return null;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#gate.opened = promise;
      this.#openGate = resolve;
      return null;
    },
    release: () => this.#release(),
    use: () => this.#use(),
    report: update => this.#report(update),
    message: message => {
      this.#sessions?.receive(message);
      return null;
    },
    ping: () => null,
    stop: () => this.stop(),
  };

  /** @param connection undefined if the client has already closed it */
  take({ connection: number }: ConnectionNote, connection: Socket | undefined): void {
    void this.primary?.ask('took', number).catch(() => {});
    if (connection !== undefined) this.#take(connection);
  }

  stop(): Promise<null> {
    this.#stopping ??= (this.#gateway?.stop() ?? Promise.resolve()).then(() => {
      this.#sessions?.close();
      this.#stopped.resolve();
      return null;
    });
    return this.#stopping;
  }

  get #served(): OpenGateway {
    if (this.#gateway === undefined) throw new Error('nothing is open yet');
    return this.#gateway;
  }

  async #open({ loaded, replica, worker }: WorkerStart): Promise<null> {
    const primary = this.primary as Channel<PrimaryHandlers>;
    const log = this.#log.child({ worker });
    const sessions = new SessionClient(replica, primary);
    this.#sessions = sessions;
    const figures = { state: { digest: loaded.digest, refused: null, staleSecurity: [] }, swaps: new SwapCounts() };
    this.#gateway = await openGateway(loaded, this.#options, log, figures, {
      sessions,
      buckets: () => new TokenClient(primary),
      embeddingSource: plan => new EmbeddingClient(primary, plan),
      records: new RecordClient(primary, readAuditWriting(process.env).whenFull),
      gate: this.#gate,
      metrics: () => primary.ask('metrics', null),
    });
    return null;
  }

  async #prepare(loaded: LoadedBundle): Promise<null> {
    this.#prepared?.discard();
    this.#prepared = undefined;
    this.#prepared = await this.#served.prepare(loaded);
    return null;
  }

  #use(): null {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared === undefined) throw new Error('nothing is prepared');
    try {
      prepared.use();
    } catch (error) {
      prepared.discard();
      throw error;
    }
    return this.#release();
  }

  #release(): null {
    this.#gate.opened = undefined;
    this.#openGate();
    return null;
  }

  #report({ state, swaps: { refused, latestAt, seconds } }: BundleUpdate): WorkerReport {
    const counts = { refused, latestAt, seconds: { count: seconds.count, sample: () => seconds } };
    const served = this.#served;
    const status = served.status(state);
    return {
      status,
      metrics: served.metrics(state, counts),
      ownSessions: served.ownSessions,
      sessionKeys: status.sessionStorage.provider === 'memory' ? [] : served.listSessionKeys(),
    };
  }
}
