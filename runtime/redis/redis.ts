/** The only module that connects to a Redis: a connection that reconnects, and commands with a time limit. */
import type { Redis as Client, Cluster } from 'ioredis';
import type { RedisPlan } from '#schemas';
import { Secrets } from '../auth/secrets.ts';
import type { Logger } from '../observe/log.ts';
import {
  buildClusterOptions,
  buildSentinelOptions,
  buildStandaloneOptions,
  openRedisSecrets,
  type RedisSecrets,
  splitAddress,
} from './client-options.ts';
import { loadClient, type RedisClientModule } from './load-client.ts';
import { formatServer, NO_CONNECTION, RedisError, type RedisFailure, toRedisError } from './redis-error.ts';
import type { RedisScript } from './script.ts';

export type RedisArgument = string | number | Buffer;

/** A command and its arguments. */
export type RedisCommand = readonly [name: string, ...args: RedisArgument[]];

export interface RedisHealth {
  readonly isReady: boolean;
  /** Why the connection is not ready: the latest failure. Undefined while it is ready, and before the first attempt has ended. */
  readonly problem: RedisError | undefined;
}

export interface RedisOptions {
  readonly log: Logger;
  /** The purpose of the connection, for logs, such as `sessions`. */
  readonly use: string;
  /** Additional time for commands in which the server itself waits, in milliseconds. Default 0. */
  readonly blockMs?: number;
  /** The environment variables from which secrets are read. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * A connection to the Redis of a plan, or one connection to each node of a cluster. It connects at once, and reconnects until `close`. While there is
 * no connection, commands fail at once. A command takes at most the sum of the read and the write timeout.
 *
 * Commands of one {@link pipeline} and all keys of one {@link run} have the same hash tag (see `keys.ts`).
 */
export class Redis {
  readonly #plan: RedisPlan;
  /** Its addresses, as messages begin. */
  readonly #server: string;
  readonly #options: RedisOptions;
  readonly #module: RedisClientModule;
  readonly #secrets: Secrets;
  readonly #values: RedisSecrets;
  readonly #listeners: Set<(isReady: boolean) => void> = new Set();
  #client: Client | Cluster;
  /** The secrets with which the current `ioredis` client was created, as one text. */
  #madeWith: string;
  #isReady = false;
  #isClosed = false;
  #isGathering = false;
  #problem: RedisError | undefined;
  /** The last logged reason why there is no connection. */
  #logged: RedisFailure | undefined;

  /** @throws SecretError */
  constructor(plan: RedisPlan, options: RedisOptions) {
    this.#plan = plan;
    this.#server = formatServer(plan);
    this.#options = options;
    this.#module = loadClient();
    this.#secrets = new Secrets(options.env === undefined ? options : { log: options.log, env: options.env });
    this.#values = openRedisSecrets(plan, this.#secrets);
    this.#madeWith = this.#computeFingerprint();
    this.#client = this.#connect();
  }

  get health(): RedisHealth {
    return { isReady: this.#isReady, problem: this.#isReady ? undefined : this.#problem };
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Calls back whenever the connection is established or lost. Returns a function that removes the listener. */
  onChange(listener: (isReady: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Waits until the connection is established.
   *
   * @param limitMs timeout in milliseconds
   * @throws RedisError with the latest failure
   */
  async ready(limitMs: number): Promise<void> {
    if (this.#isReady) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => reject(this.#problem ?? new RedisError('timeout', 'no connection in time', this.#server));
    const timer = setTimeout(giveUp, limitMs);
    const stop = this.onChange(isReady => isReady && resolve());
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      stop();
    }
  }

  /** @throws RedisError */
  async call(...[name, ...args]: RedisCommand): Promise<unknown> {
    this.#checkReady();
    this.#gatherWrites();
    try {
      return await this.#client.call(name, ...(args as string[]));
    } catch (error) {
      throw toRedisError(error, this.#server);
    }
  }

  /**
   * Sends commands together and returns all their answers.
   *
   * @throws RedisError for the first command that failed; others may have run
   */
  async pipeline(commands: readonly RedisCommand[]): Promise<unknown[]> {
    if (commands.length === 0) return [];
    this.#checkReady();
    this.#gatherWrites();
    const pipeline = this.#client.pipeline();
    for (const [name, ...args] of commands) pipeline.call(name, ...(args as string[]));
    let answers: [error: Error | null, answer: unknown][] | null;
    try {
      answers = await pipeline.exec();
    } catch (error) {
      throw toRedisError(error, this.#server);
    }
    return (answers ?? []).map(([error, answer]) => {
      if (error !== null) throw toRedisError(error, this.#server);
      return answer;
    });
  }

  /**
   * Runs a script. The server gets the text of the script once, and then only its digest.
   *
   * @throws RedisError
   */
  async run(script: RedisScript, keys: readonly string[], args: readonly RedisArgument[]): Promise<unknown> {
    this.#checkReady();
    this.#gatherWrites();
    const rest = [keys.length, ...keys, ...args] as string[];
    try {
      try {
        return await this.#client.call('EVALSHA', script.digest, ...rest);
      } catch (error) {
        // The server does not know the script (yet, or after a restart), so it gets the text.
        if (!(error as Error).message.startsWith('NOSCRIPT')) throw error;
        return await this.#client.call('EVAL', script.text, ...rest);
      }
    } catch (error) {
      throw toRedisError(error, this.#server);
    }
  }

  /** Closes the connection. Running commands fail. */
  close(): void {
    this.#isClosed = true;
    this.#secrets.close();
    this.#client.disconnect();
    this.#changed(false);
    this.#listeners.clear();
  }

  /**
   * Sends the commands of one turn of the event loop in one write: a separate write costs more than all other work for a command.
   */
  #gatherWrites(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    const clients = this.#client instanceof this.#module.Cluster ? this.#client.nodes() : [this.#client];
    // A node of a cluster has no connection before its first command.
    const streams = clients.flatMap(({ stream }) => stream ?? []);
    for (const stream of streams) stream.cork();
    setImmediate(() => {
      this.#isGathering = false;
      for (const stream of streams) stream.uncork();
    });
  }

  #checkReady(): void {
    if (!this.#isReady) throw this.#problem ?? new RedisError('connection', 'not connected yet', this.#server);
  }

  #connect(): Client | Cluster {
    const client = this.#make();
    client.on('ready', () => this.#client === client && this.#changed(true));
    client.on('error', (error: unknown) => this.#client === client && this.#noteProblem(error));
    for (const event of ['close', 'end'] as const) client.on(event, () => this.#client === client && this.#lost());
    // The failure is also reported as an event.
    client.connect().catch((error: unknown) => this.#client === client && this.#noteProblem(error));
    return client;
  }

  #make(): Client | Cluster {
    const { blockMs = 0 } = this.#options;
    const { Redis: Single, Cluster: Several } = this.#module;
    const { mode, addresses } = this.#plan;
    if (mode === 'cluster') {
      const options = buildClusterOptions(this.#plan, this.#values, blockMs);
      return new Several(addresses.map(splitAddress), options);
    }
    const buildOptions = mode === 'sentinel' ? buildSentinelOptions : buildStandaloneOptions;
    return new Single(buildOptions(this.#plan, this.#values, blockMs));
  }

  #lost(): void {
    this.#changed(false);
    if (this.#isClosed) return;
    this.#secrets.refresh();
    const now = this.#computeFingerprint();
    if (now === this.#madeWith) return;
    // A client cannot change its options, so new secrets need a new client.
    this.#madeWith = now;
    const previous = this.#client;
    this.#client = this.#connect();
    previous.disconnect();
  }

  #computeFingerprint(): string {
    const { username, password, ca, sentinelCa } = this.#values;
    return JSON.stringify([username?.value, password?.value, ca?.value, sentinelCa?.value]);
  }

  #changed(isReady: boolean): void {
    if (this.#isReady === isReady) return;
    this.#isReady = isReady;
    const { log, use } = this.#options;
    if (isReady) {
      if (this.#logged !== undefined) log.info({ use }, `${this.#server} answers again`);
      this.#logged = undefined;
      this.#problem = undefined;
    } else this.#noteProblem(new RedisError('connection', 'the connection broke', this.#server));
    for (const listener of [...this.#listeners]) listener(isReady);
  }

  /** Logs each reason once, however often a connection is tried. */
  #noteProblem(error: unknown): void {
    if (this.#isClosed) return;
    const problem = toRedisError(error, this.#server);
    // An earlier error has already named the cause; this error only says that there is no connection.
    if (this.#problem !== undefined && problem.message.endsWith(NO_CONNECTION)) return;
    this.#problem = problem;
    // If the connection was working, its loss is logged instead of this error.
    if (this.#isReady || this.#logged === problem.reason) return;
    this.#logged = problem.reason;
    const { log, use } = this.#options;
    log.warn({ use, reason: problem.reason }, `${problem.message}; the connection is tried again until Redis answers`);
  }
}
