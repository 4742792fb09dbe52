import type { RequestSender, SentRequest } from './client.ts';
import { type Dispatcher, Pool } from './undici.ts';

/**
 * Connection pools by origin. Each pool is kept until the process ends, because the configuration names all origins, usually one. undici's own
 * `Agent` is made for changing origins and costs more for each request.
 */
export class OriginPools implements RequestSender {
  readonly #options: Pool.Options;
  readonly #pools = new Map<string, Pool>();
  #isDestroyed = false;

  constructor(options: Pool.Options) {
    this.#options = options;
  }

  dispatch(options: SentRequest, handler: Dispatcher.DispatchHandler): boolean {
    return this.#getPool(String(options.origin)).dispatch(options, handler);
  }

  /** Closes every connection. Running and later requests fail. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all([...this.#pools.values()].map(pool => pool.destroy()));
  }

  #getPool(origin: string): Pool {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = new Pool(origin, this.#options);
      this.#pools.set(origin, pool);
      if (this.#isDestroyed) void pool.destroy();
    }
    return pool;
  }
}
