/** A separate process per compiler, rather than a thread: a thread that runs out of memory may end the whole process, even if the thread has limits. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Receiver, type WorkerRequest, type WorkerResponse } from './exchange.ts';
import { createFailedOutcome } from './failed-outcome.ts';
import type { CompileOutcome } from './outcome.ts';
import type { CompileRequest } from './request.ts';

/** Limits on time and memory for compiling one checkout. */
export interface CompileLimits {
  /** Milliseconds from request to response. */
  readonly wallMs: number;
  /** Maximum heap of a worker in megabytes. */
  readonly heapMb: number;
}

/** Generous: hundreds of gateways compile within seconds. */
export const DEFAULT_LIMITS: CompileLimits = { wallMs: 60_000, heapMb: 512 };

/** The built worker is a separate file next to the executable; from sources it runs directly. */
const ENTRY = import.meta.url.endsWith('.ts') ? './worker.ts' : './lintel-controller-compile.js';
const FROM_SOURCES = ['--conditions=lintel-source', '--disable-warning=ExperimentalWarning'];

/** Megabytes of V8's young generation: by default V8 takes 128 MB and keeps them. */
const YOUNG = '--max-semi-space-size=16';

/** Limits glibc's memory: otherwise it keeps an arena per thread, and freed space of large buffers; bytes. */
const ALLOCATION = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/** How many characters of the worker's last output are stored, to explain its end. */
const LAST_WORDS = 4_096;

/** A process with an incremental compiler. It handles one request at a time; once it has ended for any reason, it cannot be used again. */
export class CompileWorker {
  readonly #child: ChildProcess;
  readonly #limits: CompileLimits;
  readonly #receiver = new Receiver();
  /** Why the process ended. */
  #end: string | undefined;
  /** Called when the worker ends during a request. Not a promise, because that would retain every response for the lifetime of the worker. */
  #onEnd: ((end: string) => void) | undefined;
  #clusterTexts: ReadonlyMap<string, string> | undefined;
  #isOver = false;

  /** @param entry replaces the worker's entry file, for tests */
  constructor(limits: CompileLimits, entry: URL = new URL(ENTRY, import.meta.url)) {
    this.#limits = limits;
    this.#child = fork(fileURLToPath(entry), [], {
      execArgv: [
        `--max-old-space-size=${limits.heapMb}`,
        YOUNG,
        ...(entry.pathname.endsWith('.ts') ? FROM_SOURCES : []),
      ],
      // The worker needs no environment variables, which may contain tokens.
      env: ALLOCATION,
      // Transfers plain data of any form without JSON.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let lastOutput = '';
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastOutput = (lastOutput + text).slice(-LAST_WORDS);
    });
    this.#child.once('error', ({ message }) => this.#ended(`the compiler could not be started: ${message}`));
    // `close` rather than `exit`: at `close`, the last output has been read.
    this.#child.once('close', (_code, signal) => this.#ended(explainEnd(lastOutput, signal, limits)));
    this.#rest();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Never fails because of the checkout's content.
   * @throws the reason of the signal; the worker has then ended
   */
  async compile(request: CompileRequest, signal: AbortSignal): Promise<CompileOutcome> {
    signal.throwIfAborted();
    const { key: _, clusterTexts, ...rest } = request;
    const isKnown = this.#clusterTexts === clusterTexts;
    this.#clusterTexts = clusterTexts;
    const answered = Promise.withResolvers<WorkerResponse | string>();
    const onAnswer = (answer: unknown) => answered.resolve(answer as WorkerResponse);
    const late = setTimeout(() => answered.resolve(formatTooLate(this.#limits)), this.#limits.wallMs);
    const aborted = () => answered.reject(signal.reason);
    this.#child.once('message', onAnswer);
    signal.addEventListener('abort', aborted, { once: true });
    this.#onEnd = answered.resolve;
    if (this.#end !== undefined) answered.resolve(this.#end);
    try {
      this.#child.ref();
      this.#child.channel?.ref();
      // Errors of sending are ignored: if the worker has ended, the event `close` reports it.
      this.#child.send({ ...rest, clusterTexts: isKnown ? undefined : clusterTexts } satisfies WorkerRequest, () => {});
      const answer = await answered.promise;
      if (typeof answer !== 'string') return this.#receiver.outcome(answer);
      this.end();
      const failed = createFailedOutcome([{ code: 'LNT1061', severity: 'error', message: answer, file: request.path }]);
      return { ...failed, isUnfinished: true };
    } catch (error) {
      this.end();
      throw error;
    } finally {
      clearTimeout(late);
      signal.removeEventListener('abort', aborted);
      this.#child.off('message', onAnswer);
      this.#onEnd = undefined;
      this.#rest();
    }
  }

  end(): void {
    this.#isOver = true;
    this.#child.kill('SIGKILL');
  }

  #ended(end: string): void {
    this.#isOver = true;
    this.#end ??= end;
    this.#onEnd?.(this.#end);
  }

  /** Idle workers do not keep the controller's process alive, and they end with it. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

const SMALLER = 'make the sources smaller, use several GatewaySources with a path each, or raise';

function formatTooLate({ wallMs }: CompileLimits): string {
  return `compiling took longer than ${wallMs / 1000} s and was stopped; ${SMALLER} --compile-timeout`;
}

/**
 * Explains the end of the process; V8 reports when its heap limit was reached.
 * @see https://nodejs.org/api/cli.html#--max-old-space-sizesize-in-mib
 */
function explainEnd(lastOutput: string, signal: NodeJS.Signals | null, { heapMb }: CompileLimits): string {
  if (/heap out of memory|heap limit/i.test(lastOutput)) {
    return `compiling needed more than ${heapMb} MB of memory and was stopped; ${SMALLER} --compile-memory`;
  }
  if (signal === 'SIGKILL')
    return 'another program killed the compiler; check the memory limit of the container or machine';
  const [error] = /^\w*Error\b.*$/m.exec(lastOutput) ?? [];
  return error === undefined ? 'the compiler ended without a result' : `the compiler failed: ${error}`;
}
