import type { Logger } from '../../observe/log.ts';

/** One provider's result for a token, with what the provider demands. */
export interface ProviderRefusal {
  readonly provider: string;
  readonly issuer: string;
  readonly audience: string;
  /** Ids of its known keys; empty when none could be fetched. Undefined for a token that is not verified with keys. */
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

/** Maximum number of different refusals between two summaries. */
const MAX_KINDS = 100;

interface RefusalGroup {
  readonly level: 'info' | 'warn';
  readonly tried: readonly ProviderRefusal[];
  readonly cause: string;
  /** The claims of one of these tokens. */
  readonly token: TokenTraits | undefined;
  /** Since the last log line. */
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
   * @param cause the caller's error; neither it nor the attempts' errors repeat any part of the token
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

  /** Logs the counts since the last summary, and forgets kinds that did not recur: their next refusal is a first one again. */
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
