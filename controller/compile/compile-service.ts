import { type CompileLimits, CompileWorker, DEFAULT_LIMITS } from './compile-worker.ts';
import type { CompileOutcome } from './outcome.ts';
import type { CompileRequest } from './request.ts';

export interface CompileServiceOptions {
  readonly limits?: CompileLimits;
  /** Maximum number of workers, each of which caches its source's results; the longest idle one ends first. */
  readonly maxWorkers?: number;
  /** The file with the entry of a worker process, if not the usual one; for tests. */
  readonly entry?: URL;
}

/** Compiles checkouts in separate processes, one per source. */
export class CompileService implements Disposable {
  readonly #limits: CompileLimits;
  readonly #maxWorkers: number;
  readonly #entry: URL | undefined;
  /** In order of last use. */
  readonly #workers = new Map<string, CompileWorker>();
  readonly #busy = new Set<string>();

  constructor({ limits = DEFAULT_LIMITS, maxWorkers = 8, entry }: CompileServiceOptions = {}) {
    this.#limits = limits;
    this.#maxWorkers = maxWorkers;
    this.#entry = entry;
  }

  /**
   * Exceeded limits, crashes and mistakes in the repository do not throw: they are outcomes.
   * @throws the reason of the signal
   */
  async compile(request: CompileRequest, signal: AbortSignal): Promise<CompileOutcome> {
    const { key } = request;
    if (this.#busy.has(key)) throw new Error(`${key} is being compiled already`);
    const known = this.#workers.get(key);
    const worker = known === undefined || known.isOver ? new CompileWorker(this.#limits, this.#entry) : known;
    this.#workers.delete(key);
    this.#workers.set(key, worker);
    this.#busy.add(key);
    try {
      return await worker.compile(request, signal);
    } finally {
      this.#busy.delete(key);
      this.#endSurplus();
    }
  }

  /** Drops the cached results of a deleted source. */
  forget(key: string): void {
    const worker = this.#workers.get(key);
    this.#workers.delete(key);
    worker?.end();
  }

  [Symbol.dispose](): void {
    for (const key of this.#workers.keys()) this.forget(key);
  }

  #endSurplus(): void {
    for (const key of this.#workers.keys()) {
      if (this.#workers.size <= this.#maxWorkers) return;
      if (!this.#busy.has(key)) this.forget(key);
    }
  }
}
