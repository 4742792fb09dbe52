import { countBytes } from './byte-text.ts';
import { EvaluationError } from './template-error.ts';

/** Limits on a template's output, and on one function's result. Bytes of UTF-8. */
const MAX_OUTPUT_BYTES = 10 * 1024 * 1024;

/** Limit on the steps of an evaluation: a step is an action, a call, a pass of a range, or work on 100 characters of text. */
const MAX_STEPS = 1_000_000;

/** Maximum depth of lists and maps that can be printed or read as JSON. */
const MAX_VALUE_DEPTH = 1000;

const CHARACTERS_PER_STEP = 100;

/** The steps that an evaluation may still take. */
export class Budget {
  #steps = MAX_STEPS;

  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0)
      throw new EvaluationError('ERR_TEMPLATE_LIMIT', `the template takes more than ${MAX_STEPS} steps`);
  }

  /** Spends steps for work that grows with a length. */
  spendOn(length: number): void {
    this.spend(length / CHARACTERS_PER_STEP);
  }
}

/** A text that grows up to the limit. */
export class BoundedText {
  readonly #budget: Budget;
  #bytes = 0;
  text = '';

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  add(piece: string): void {
    this.#budget.spendOn(piece.length);
    // The piece is not counted if it has more characters than the limit has bytes: each character has at least one byte.
    this.#bytes += piece.length > MAX_OUTPUT_BYTES ? piece.length : countBytes(piece);
    refuseSize(this.#bytes);
    this.text += piece;
  }
}

export function refuseSize(bytes: number): void {
  if (bytes <= MAX_OUTPUT_BYTES) return;
  throw new EvaluationError('ERR_TEMPLATE_LIMIT', `the text is larger than ${MAX_OUTPUT_BYTES} bytes`);
}

export function refuseDepth(depth: number): void {
  if (depth <= MAX_VALUE_DEPTH) return;
  throw new EvaluationError('ERR_TEMPLATE_LIMIT', `the value is nested more than ${MAX_VALUE_DEPTH} levels deep`);
}
