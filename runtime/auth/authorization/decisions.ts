/** Decisions that are remembered, over all callers together; the callers that were remembered first make room. */
const MAX_DECISIONS = 100_000;

/** What was decided for one caller, by what it was about. */
export type CallerDecisions = Map<string, boolean>;

/** The decisions of one set of policies, as far as there is room for them. */
export class Decisions {
  /** Oldest first. Nothing else of a caller is kept here: identities come and go with their tokens. */
  readonly #callers = new Set<CallerDecisions>();
  readonly #max: number;
  #count = 0;

  constructor(max: number = MAX_DECISIONS) {
    this.#max = max;
  }

  /** How many decisions are remembered. */
  get size(): number {
    return this.#count;
  }

  remember(decisions: CallerDecisions, about: string, isPermitted: boolean): void {
    if (this.#count >= this.#max) this.#makeRoom();
    this.#callers.add(decisions);
    decisions.set(copyOf(about), isPermitted);
    this.#count++;
  }

  #makeRoom(): void {
    const [oldest] = this.#callers;
    if (oldest === undefined) return;
    this.#callers.delete(oldest);
    this.#count -= oldest.size;
    oldest.clear();
  }
}

/** In memory of its own: a part of a text points into the whole, so a name would keep the message of megabytes it came in. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
