/** Starts and controls the process of the load generator. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cpuUs, getPid } from './processes.ts';
import type { TokenOrder } from './tokens.ts';

export type Job = CallJob | GetJob | RefreshJob;

interface AnyJob {
  readonly url: string;
  /** Replaces `url`: several URLs, to which each connection sends its requests in turn. */
  readonly urls?: readonly string[];
  /** Whether a connection sends all its requests to one of the URLs; connections are assigned in turn. */
  readonly keepsUrl?: true;
  readonly connections: number;
  readonly ms: number;
  /** Header lines that a connection adds, each ending in CRLF; assigned to connections in turn. */
  readonly heads: readonly string[];
}

export interface CallJob extends AnyJob {
  /** A JSON-RPC request with id 1000000; each request gets another number in place of it. */
  readonly body: string;
  /** Signed before the measurement; each is for one request, and the slice ends with the last one. */
  readonly tokens?: TokenOrder;
}

export interface GetJob extends AnyJob {
  /** Paths with their queries, which are assigned to requests in turn. */
  readonly paths: readonly string[];
  /** Text that the first response on a connection must contain. */
  readonly holds: string;
}

/** A job in which each connection refreshes its token with the refresh token of the previous response. */
export interface RefreshJob extends AnyJob {
  readonly clientId: string;
  /** One for each connection; the slice returns the ones that are current at its end. */
  readonly refreshTokens: readonly string[];
}

export interface Slice {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the measured processes, in microseconds per request. */
  readonly cpuUs: number;
}

/** What the load generator's process reports of a slice. */
type Counted = Omit<Slice, 'cpuUs'> & { readonly refreshTokens?: readonly string[] };

export class Load implements Disposable {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'load.mjs'));
  readonly #ended: Promise<never> = once(this.#child, 'exit').then(() =>
    Promise.reject(new Error('the load generator has given up')),
  );

  constructor() {
    this.#ended.catch(() => {}); // Prevents an unhandled rejection while no call waits.
  }

  get pid(): number {
    return getPid(this.#child);
  }

  /** Sends for `job.ms` or until the tokens are used up, and reads the clocks of processes before and after. */
  async run(job: Job, ...pids: readonly number[]): Promise<Counted & Slice> {
    const clocks = async () => (await Promise.all(pids.map(cpuUs))).reduce((sum, us) => sum + us, 0);
    this.#child.send(job);
    await this.#heard();
    const before = await clocks();
    const { result } = await this.#heard();
    const cpu = (await clocks()) - before;
    return { ...result, cpuUs: cpu / result.requests };
  }

  async #heard(): Promise<{ result: Counted }> {
    const [message] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    return message as { result: Counted };
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}
