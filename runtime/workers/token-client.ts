/** The token buckets that the primary keeps, as a worker sees them. */
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

  /** The primary knows the limits of the bundle by itself. */
  use(): void {}

  close(): void {}
}
