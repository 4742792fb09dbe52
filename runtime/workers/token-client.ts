/** The token buckets as a worker sees them: the buckets are in the memory of the primary process. */
import type { TokenBuckets } from '../gateway/limits/buckets.ts';
import type { Limit } from '../gateway/limits/limit.ts';
import type { Channel } from './channel.ts';
import type { PrimaryHandlers } from './messages.ts';

export class TokenClient implements TokenBuckets {
  readonly #primary: Channel<PrimaryHandlers>;

  constructor(primary: Channel<PrimaryHandlers>) {
    this.#primary = primary;
  }

  take(limits: readonly Limit[], user: string | undefined): Promise<number> {
    return this.#primary.ask('take', { limits: limits.map(({ key }) => key), user });
  }

  /** Does nothing, because the primary applies the limits of the bundle. */
  use(): void {}

  close(): void {}
}
