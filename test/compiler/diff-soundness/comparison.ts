/** The answers to one question before and after a change, and the verdict over all questions. */

/** `changed`: the same callers reach the same items, but these are elsewhere, get another credential, or are described differently. */
export type OracleVerdict = 'equivalent' | 'wider' | 'narrower' | 'mixed' | 'changed';

export interface Comparison {
  readonly verdict: OracleVerdict;
  /** The first few of each. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  readonly changed: readonly string[];
}

/** The answers by question; refused questions are absent. */
export type Answers = ReadonlyMap<string, string>;

const MAX_EXAMPLES = 20;

export class Findings implements Comparison {
  readonly gained: string[] = [];
  readonly lost: string[] = [];
  readonly changed: string[] = [];

  /** @param who prefix of the questions, such as the caller */
  compare(who: string, before: Answers, after: Answers): void {
    if (before === after) return;
    for (const [question, answer] of after) {
      const was = before.get(question);
      if (was === undefined) this.#add(this.gained, who, question);
      else if (was !== answer) this.#add(this.changed, who, question);
    }
    for (const question of before.keys()) if (!after.has(question)) this.#add(this.lost, who, question);
  }

  #add(to: string[], who: string, question: string): void {
    if (to.length < MAX_EXAMPLES) to.push(`${who}: ${question}`);
  }

  get verdict(): OracleVerdict {
    const [gains, loses, changes] = [this.gained, this.lost, this.changed].map(({ length }) => length > 0);
    if (gains && loses) return 'mixed';
    if (changes) return gains || loses ? 'mixed' : 'changed';
    if (gains) return 'wider';
    return loses ? 'narrower' : 'equivalent';
  }

  /** Further answers cannot change the verdict, because it is neither wider nor narrower. */
  get isSettled(): boolean {
    return this.changed.length > 0 || (this.gained.length > 0 && this.lost.length > 0);
  }
}
