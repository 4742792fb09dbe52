/** The load generator's process, as the benchmark sees it. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cpuUs, pidOf } from './processes.ts';
import type { TokenOrder } from './tokens.ts';

export type Job = CallJob | GetJob | RefreshJob;

interface AnyJob {
  readonly url: string;
  /** Instead of it, several that each connection sends its requests to in turn. */
  readonly urls?: readonly string[];
  /** Whether a connection sends all its requests to one of them; connections take them in turn. */
  readonly keepsUrl?: true;
  readonly connections: number;
  readonly ms: number;
  /** Header lines that a connection adds, each ending in CRLF; connections take them in turn. */
  readonly heads: readonly string[];
}

export interface CallJob extends AnyJob {
  /** A JSON-RPC request whose id is 1000000; wherever that stands, each request has another number. */
  readonly body: string;
  /** Signed before the clock starts; each is for one request, and the slice ends with the last of them. */
  readonly tokens?: TokenOrder;
}

export interface GetJob extends AnyJob {
  /** With their queries; requests take them in turn. */
  readonly paths: readonly string[];
  /** What the first answer on a connection has in it. */
  readonly holds: string;
}

/** Each connection renews its token, with the refresh token of the answer before. */
export interface RefreshJob extends AnyJob {
  readonly clientId: string;
  /** One for each connection; the slice says which they have at its end. */
  readonly refreshTokens: readonly string[];
}

export interface Slice {
  readonly requests: number;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** CPU time of the processes that are measured, in microseconds per request. */
  readonly cpuUs: number;
}

/** What the process of the load generator says of a slice. */
type Counted = Omit<Slice, 'cpuUs'> & { readonly refreshTokens?: readonly string[] };

export class Load implements Disposable {
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'load.mjs'));
  readonly #ended: Promise<never> = once(this.#child, 'exit').then(() =>
    Promise.reject(new Error('the load generator has given up')),
  );

  constructor() {
    this.#ended.catch(() => {}); // No call may be waiting then.
  }

  get pid(): number {
    return pidOf(this.#child);
  }

  /** Sends for `job.ms`, or as long as there are tokens, and reads the clocks of processes around it. */
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
