/** Tools by their hints as plain data; `grants/policy.ts` converts it to Cedar. */
export type ToolTest = 'all' | 'readOnly' | 'destructive';

/**
 * Tools selected by annotations rather than by name. Such a grant does not offer the tools; `expose` does.
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

  /** Tools that may destroy something by MCP's defaults: all except those that claim to be read-only or non-destructive. */
  static destructive(): Tools {
    return new Tools('destructive');
  }

  /** For internal use: the selection as plain data. */
  get test(): ToolTest {
    return this.#test;
  }
}
