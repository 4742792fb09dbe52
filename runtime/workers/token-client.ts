/** A worker's view of the token buckets that the primary holds. */
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

  /** Does nothing: the primary has the limits of the bundle. */
  use(): void {}

  close(): void {}
}
