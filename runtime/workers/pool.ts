/** Starts the workers of a gateway, replaces workers that exit, and gives all workers a new bundle at the same time. */

import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import { computeBackoffMs } from '#shared/util';
import { BundleError } from '../bundle/bundle-error.ts';
import type { LoadedBundle } from '../bundle/load.ts';
import type { Logger } from '../observe/log.ts';
import { RemoteError } from './channel.ts';
import { limitWait } from './limit-wait.ts';
import type { SharedHosts } from './shared-hosts.ts';
import { WorkerProcess } from './worker-process.ts';

/** Time limits for a worker's steps; milliseconds. A worker that exceeds one is killed and replaced. */
const OPEN_MS = 60_000;
const PREPARE_MS = 60_000;
const STEP_MS = 10_000;
const PING_MS = 60_000;

/** Longer than draining, which takes at most 10 seconds. */
const STOP_MS = 20_000;

/** Pause before a worker is replaced; doubled if the worker itself had replaced another and did not serve for long. Milliseconds. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** A worker that has served this long counts as healthy; milliseconds. */
const STEADY_MS = 30_000;

/** How many consecutive starts may fail while no other worker serves. */
const MAX_FAILURES = 5;

export interface PoolOptions {
  readonly count: number;
  readonly hosts: SharedHosts;
  readonly log: Logger;
}

export class WorkerPool {
  /** Number of workers that were replaced. */
  replaced = 0;
  /** Resolves with the reason when the workers cannot be kept running. */
  readonly failed: Promise<string>;
  readonly #fail: (reason: string) => void;
  readonly #options: PoolOptions;
  /** Runs swaps, and the last step of a worker's start, one at a time. */
  readonly #inTurn = pLimit(1);
  readonly #workers = new Map<number, WorkerProcess>();
  readonly #keeping: Promise<void>[] = [];
  readonly #stop = new AbortController();
  #bundle: LoadedBundle;
  /** Whether a worker could not start because of an error that every other worker would have as well. */
  #isRefused = false;

  constructor(loaded: LoadedBundle, options: PoolOptions) {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.failed = promise;
    this.#fail = resolve;
    this.#bundle = loaded;
    this.#options = options;
  }

  /** The workers that serve clients, in the order of their numbers. */
  get serving(): readonly WorkerProcess[] {
    return [...this.#workers.values()].filter(worker => worker.isServing).sort((a, b) => a.number - b.number);
  }

  /** Whether at least one worker serves, and all serving workers have probed their backends. */
  get isReady(): boolean {
    const { serving } = this;
    return serving.length > 0 && serving.every(({ isReady }) => isReady);
  }

  /**
   * Resolves when all workers serve.
   *
   * @throws BundleError from a worker; an Error when workers cannot be started
   */
  async start(): Promise<void> {
    const numbers = Array.from({ length: this.#options.count }, (_, at) => at + 1);
    const started = numbers.map(number => {
      const first = Promise.withResolvers<void>();
      this.#keeping.push(this.#keep(number, first));
      return first.promise;
    });
    const failed = this.failed.then(reason => {
      throw new Error(reason);
    });
    try {
      await Promise.race([Promise.all(started), failed]);
    } catch (error) {
      for (const entry of [...started, failed]) entry.catch(() => {});
      await this.stop();
      throw error;
    }
    failed.catch(() => {});
  }

  /**
   * Gives all workers a new bundle in three steps: all prepare it, all hold new requests, all use it. So once a request has begun under the new bundle,
   * no request begins under the old one.
   *
   * @throws BundleError if a worker cannot serve the new bundle; then all workers keep the old one
   */
  swap(next: LoadedBundle): Promise<void> {
    return this.#inTurn(() => this.#swap(next));
  }

  /** Lets all workers drain and exit. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#workers.values()].map(worker => this.#end(worker)));
    await Promise.all(this.#keeping);
  }

  async #swap(next: LoadedBundle): Promise<void> {
    const { serving } = this;
    if (serving.length === 0)
      throw new BundleError(next.file, 'no worker can serve the bundle now; the runtime tries again');
    const shared = await this.#options.hosts.prepare(next);
    const refusals: Error[] = [];
    const prepared = serving.map(async worker => {
      await limitWait(PREPARE_MS, worker.channel.ask('prepare', next)).catch((error: Error) => {
        // The error of a worker that has exited does not count, because the worker that replaces it gets the new bundle.
        if (!worker.hasEnded) refusals.push(error);
      });
    });
    await Promise.all(prepared);
    const [refusal] = refusals;
    if (refusal !== undefined) {
      shared.discard();
      await this.#all('discard', serving);
      throw toRefusal(next, refusal);
    }
    await this.#all('hold', serving);
    this.#bundle = next;
    shared.use();
    await this.#all('use', serving);
    shared.closeFormer();
    for (const worker of serving) worker.digest = next.digest;
  }

  /** Runs one step of a swap at all live workers. A worker at which the step fails is killed, so that no worker keeps the old bundle. */
  async #all(step: 'discard' | 'hold' | 'use', workers: readonly WorkerProcess[]): Promise<void> {
    const steps = workers.map(worker =>
      limitWait(STEP_MS, worker.channel.ask(step, null)).catch((error: Error) => {
        if (worker.hasEnded) return;
        this.#options.log.error(
          { worker: worker.number, cause: error.message },
          `a worker cannot ${step}; it is killed`,
        );
        worker.kill();
        return worker.ended;
      }),
    );
    await Promise.all(steps);
  }

  /** Keeps one worker running until `stop`. */
  async #keep(number: number, first: PromiseWithResolvers<void>): Promise<void> {
    const { log } = this.#options;
    let failures = 0;
    for (let isFirst = true; !this.#stop.signal.aborted; isFirst = false) {
      const worker = new WorkerProcess(number, this.#options.hosts);
      this.#workers.set(number, worker);
      const startedAt = performance.now();
      const reason = await this.#startServing(worker, isFirst).then(
        () => {
          first.resolve();
          return this.#watch(worker);
        },
        async (error: Error) => {
          worker.kill();
          const how = await worker.ended;
          if (!(error instanceof RemoteError)) return how;
          // Another start would fail in the same way.
          if (isFirst && error.name === 'BundleError') {
            this.#isRefused = true;
            first.reject(toRefusal(this.#bundle, error));
          }
          return error.message;
        },
      );
      this.#workers.delete(number);
      if (this.#stop.signal.aborted || this.#isRefused) return;
      failures = performance.now() - startedAt >= STEADY_MS ? 0 : failures + 1;
      if (failures >= MAX_FAILURES && this.serving.length === 0) {
        this.#fail(`no worker keeps running; the last worker ended with: ${reason}`);
        return;
      }
      const pauseMs =
        failures === 0 ? 0 : computeBackoffMs(failures, { firstMs: FIRST_PAUSE_MS, longestMs: LONGEST_PAUSE_MS });
      this.replaced++;
      log.warn(
        { worker: number, pid: worker.pid, reason, pauseMs },
        `worker ${number} has ended (${reason}); another worker takes its place`,
      );
      await pause(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** Lets a new worker serve the bundle that the other workers serve. */
  async #startServing(worker: WorkerProcess, isFirst: boolean): Promise<void> {
    const loaded = this.#bundle;
    const { channel, number, replica } = worker;
    await limitWait(OPEN_MS, channel.ask('open', { worker: number, replica, loaded }));
    worker.digest = loaded.digest;
    const settled = channel.ask('settled', null).then(() => {
      worker.isReady = true;
    });
    settled.catch(() => {});
    // A worker that replaces another serves before it has read the lists of all backends; the other workers have these lists.
    if (!isFirst) await settled;
    await this.#inTurn(async () => {
      const next = this.#bundle;
      if (worker.digest !== next.digest) {
        await limitWait(PREPARE_MS, channel.ask('prepare', next));
        await limitWait(STEP_MS, channel.ask('use', null));
        worker.digest = next.digest;
      }
      await limitWait(STEP_MS, channel.ask('serve', null));
      worker.serve();
    });
  }

  /** Resolves with the reason when a worker has exited, or was killed because it hung. */
  async #watch(worker: WorkerProcess): Promise<string> {
    const { channel, ended } = worker;
    const watching = new AbortController();
    const ping = async (): Promise<void> => {
      while (!watching.signal.aborted) {
        await pause(PING_MS / 6, undefined, { signal: watching.signal, ref: false }).catch(() => {});
        if (watching.signal.aborted) return;
        await limitWait(PING_MS, channel.ask('ping', null)).catch(() => worker.kill());
      }
    };
    void ping();
    return ended.finally(() => watching.abort());
  }

  async #end(worker: WorkerProcess): Promise<void> {
    worker.retire();
    await limitWait(STOP_MS, worker.channel.ask('stop', null)).catch(() => worker.kill());
    await limitWait(STOP_MS, worker.ended).catch(() => worker.kill());
  }
}

/** Converts the error of a worker to a BundleError, because errors lose their class between processes. */
function toRefusal({ file, bundle }: LoadedBundle, { name, message }: Error): BundleError {
  if (name !== 'BundleError') return new BundleError(file, `a worker cannot serve the bundle: ${message}`, bundle);
  const location = `${file}: `;
  return new BundleError(file, message.startsWith(location) ? message.slice(location.length) : message, bundle);
}
