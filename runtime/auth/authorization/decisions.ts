import { hash } from 'node:crypto';
import type { CedarPrincipal } from '#schemas';

/** Limits on what is remembered: callers, and decisions over all of them together. */
const MAX_CALLERS = 10_000;
const MAX_DECISIONS = 100_000;

/** What was decided for one caller, by what it was about. */
export interface CallerDecisions<D = boolean> {
  readonly known: Map<string, D>;
  /** It had to make room: what is remembered from now on belongs into another one. */
  isForgotten: boolean;
}

/**
 * The decisions of one set of policies, as far as there is room for them. They belong to callers as policies see them, so a
 * renewed token, which differs in nothing that a policy reads, goes on with those of the former one.
 */
export class Decisions<D = boolean> {
  /** Oldest first. */
  readonly #callers = new Map<string, CallerDecisions<D>>();
  readonly #maxDecisions: number;
  readonly #maxCallers: number;
  #count = 0;

  constructor(maxDecisions: number = MAX_DECISIONS, maxCallers: number = MAX_CALLERS) {
    this.#maxDecisions = maxDecisions;
    this.#maxCallers = maxCallers;
  }

  /** How many decisions are remembered. */
  get size(): number {
    return this.#count;
  }

  of(principal: CedarPrincipal): CallerDecisions<D> {
    // Claims can be long, and differ in length without end.
    const key = hash('sha256', JSON.stringify(principal), 'base64url');
    let decisions = this.#callers.get(key);
    if (decisions === undefined) {
      if (this.#callers.size >= this.#maxCallers) this.#forgetOldest();
      decisions = { known: new Map(), isForgotten: false };
      this.#callers.set(key, decisions);
    }
    return decisions;
  }

  remember(decisions: CallerDecisions<D>, about: string, decision: D): void {
    if (decisions.isForgotten) return;
    if (this.#count >= this.#maxDecisions) this.#forgetOldest();
    // It may have been the oldest itself.
    if (decisions.isForgotten) return;
    decisions.known.set(copyText(about), decision);
    this.#count++;
  }

  #forgetOldest(): void {
    const [oldest] = this.#callers;
    if (oldest === undefined) return;
    const [key, decisions] = oldest;
    this.#callers.delete(key);
    this.#count -= decisions.known.size;
    decisions.known.clear();
    decisions.isForgotten = true;
  }
}

/** In memory of its own: a part of a text points into the whole, so a name would keep the message of megabytes it came in. */
function copyText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
