/** Tools by their hints. Plain data; `grants/policy.ts` writes it in Cedar. */
export type ToolTest = 'all' | 'readOnly' | 'destructive';

/**
 * Tools that are chosen by their annotations, not by name. What is chosen so is not offered by that: `expose` offers it.
 *
 * @example
 * gateway.forbid(Caller.any()).call(Tools.destructive());
 */
export class Tools {
  readonly #test: ToolTest;

  private constructor(test: ToolTest) {
    this.#test = test;
  }

  /** Every tool of the gateway, workflows included. */
  static all(): Tools {
    return new Tools('all');
  }

  /** Tools that state `readOnlyHint`. */
  static readOnly(): Tools {
    return new Tools('readOnly');
  }

  /**
   * Tools that may destroy something, by the defaults of MCP: all but those that state that they only read, and those that state
   * that they destroy nothing.
   */
  static destructive(): Tools {
    return new Tools('destructive');
  }

  /** For those who read it. */
  get test(): ToolTest {
    return this.#test;
  }
}
