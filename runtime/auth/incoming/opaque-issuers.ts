import { hash } from 'node:crypto';

/** Ceiling on remembered tokens; the oldest make room. */
const MAX_TOKENS = 10_000;

/**
 * Which provider vouched for an opaque token. The token says nothing of its issuer, so the first time everybody who might be it
 * has to be asked; from then on nobody else is shown it. Kept as hashes: this outlives what is remembered of the caller.
 */
export class OpaqueIssuers<Provider> {
  readonly #issuers = new Map<string, Provider>();
  readonly #maxTokens: number;

  constructor(maxTokens: number = MAX_TOKENS) {
    this.#maxTokens = maxTokens;
  }

  of(token: string): Provider | undefined {
    return this.#issuers.size === 0 ? undefined : this.#issuers.get(hash('sha256', token));
  }

  remember(token: string, issuer: Provider): void {
    const key = hash('sha256', token);
    this.#issuers.delete(key);
    this.#issuers.set(key, issuer);
    const [oldest] = this.#issuers.keys();
    if (this.#issuers.size > this.#maxTokens && oldest !== undefined) this.#issuers.delete(oldest);
  }
}
