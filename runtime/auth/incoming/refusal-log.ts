import type { Logger } from '../../observe/log.ts';

/** Why one provider refused a token, with the claims that the provider requires. */
export interface ProviderRefusal {
  readonly provider: string;
  readonly issuer: string;
  readonly audience: string;
  /** Ids of the provider's known keys; empty if no keys could be fetched. Undefined for a token that is not verified with keys. */
  readonly keys?: readonly string[];
  readonly cause: string;
}

/**
 * Unverified claims of a JWT: truncated, and without any part that makes the token a credential. Compared with the provider's requirements,
 * they show a misspelt issuer, a wrong audience or a rotated key.
 */
export interface TokenTraits {
  readonly iss?: string;
  readonly aud?: string | readonly string[];
  readonly kid?: string;
  readonly alg?: string;
}

/** Maximum number of kinds of refusals between two summaries; further kinds are counted together. */
const MAX_KINDS = 100;

interface RefusalGroup {
  readonly level: 'info' | 'warn';
  readonly tried: readonly ProviderRefusal[];
  readonly cause: string;
  /** The claims of the first token of the group. */
  readonly token: TokenTraits | undefined;
  /** Number of refusals since the last log line about this group. */
  count: number;
}

/**
 * Logs refused tokens: which providers were queried, in order, and why each refused. The first refusal of a kind is logged immediately;
 * further ones are counted in the next summary, so that a flood of tokens does not flood the log. The claims of a token do not define a
 * kind, because callers choose them.
 */
export class RefusalLog {
  readonly #log: Logger;
  #kinds = new Map<string, RefusalGroup>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /**
   * @param cause the message that the caller gets; like the messages of `tried`, it repeats no part of the token
   * @param isOpen whether no provider could decide about the token
   */
  note(tried: readonly ProviderRefusal[], cause: string, isOpen = false, token?: TokenTraits): void {
    const text = JSON.stringify([tried, cause]);
    const isFull = this.#kinds.size >= MAX_KINDS && !this.#kinds.has(text);
    const key = isFull ? '' : text;
    const known = this.#kinds.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const level = isOpen ? 'warn' : 'info';
    const kind: RefusalGroup = isFull
      ? { level: 'info', tried: [], cause: 'other causes', token: undefined, count: 1 }
      : { level, tried, cause, token, count: 1 };
    this.#kinds.set(key, kind);
    if (!isFull) this.#write(kind);
  }

  /** Logs the counts since the last summary. Forgets kinds without a refusal since then, so that their next refusal is logged immediately. */
  summarize(): void {
    const kinds = this.#kinds;
    this.#kinds = new Map();
    for (const [key, kind] of kinds) {
      if (kind.count === 0) continue;
      this.#write(kind);
      this.#kinds.set(key, kind);
    }
  }

  #write(kind: RefusalGroup): void {
    const { level, tried, cause, token, count } = kind;
    kind.count = 0;
    this.#log[level]({ cause, tried, ...(token && { token }), count }, 'a token was refused');
  }
}
