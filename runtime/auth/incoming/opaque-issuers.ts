import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Limit on remembered tokens; the oldest are evicted. */
const MAX_TOKENS = 10_000;

/**
 * Remembers which provider accepted an opaque token. The token does not name its issuer, so the first time every possible provider has to be
 * asked; later requests ask only the provider that accepted it. Tokens are stored as hashes, because entries outlive the cached callers.
 */
export class OpaqueIssuers<Provider extends NonNullable<unknown>> {
  readonly #issuers: LRUCache<string, Provider>;

  constructor(maxTokens: number = MAX_TOKENS) {
    this.#issuers = new LRUCache({ max: maxTokens });
  }

  get(token: string): Provider | undefined {
    return this.#issuers.size === 0 ? undefined : this.#issuers.get(hash('sha256', token));
  }

  remember(token: string, issuer: Provider): void {
    this.#issuers.set(hash('sha256', token), issuer);
  }
}
