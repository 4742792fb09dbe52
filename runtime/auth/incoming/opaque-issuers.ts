import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Limit on remembered tokens; those that came longest ago make room. */
const MAX_TOKENS = 10_000;

/**
 * Which provider vouched for an opaque token. The token does not name its issuer, so the first time every provider that might be it
 * has to be asked; from then on no other provider is shown it. Kept as hashes: this outlives what is remembered of the caller.
 */
export class OpaqueIssuers<Provider extends NonNullable<unknown>> {
  readonly #issuers: LRUCache<string, Provider>;

  constructor(maxTokens: number = MAX_TOKENS) {
    this.#issuers = new LRUCache({ max: maxTokens });
  }

  of(token: string): Provider | undefined {
    return this.#issuers.size === 0 ? undefined : this.#issuers.get(hash('sha256', token));
  }

  remember(token: string, issuer: Provider): void {
    this.#issuers.set(hash('sha256', token), issuer);
  }
}
