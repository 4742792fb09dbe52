/** Fake tools whose answers a test defines. */

/** The tool that a fake replaces: one of `lintel/cdk8s`, which has types, or any tool of a backend by name. */
export interface ToolLike<S extends Signature = Signature> {
  readonly backend: string;
  readonly name: string;
  readonly signature?: S;
}

/** The types of a tool's input and output. */
export interface Signature {
  readonly input: object;
  readonly output: unknown;
}

/** A fake for a tool of a backend, from {@link fake} or {@link failing}. */
export interface Fake {
  readonly backend: string;
  readonly tool: string;
  /** How long a call takes; milliseconds of virtual time. */
  readonly takesMs: number;
  /** @throws the error with which the call fails */
  answer(args: never): unknown;
}

/** Settings of a fake. */
export interface FakeSettings {
  /** How long a call takes; milliseconds of virtual time. 0 unless given. */
  readonly takesMs?: number;
}

/**
 * A tool that returns this output, or computes it from the arguments. The output is its `structuredContent`, with the type in the tool lock.
 *
 * @example
 * fake(github.tools.search, ({ query }) => ({ total: query.length, items: [] }))
 */
export function fake<S extends Signature>(
  tool: ToolLike<S>,
  answer: NoInfer<S['output']> | ((args: NoInfer<S['input']>) => NoInfer<S['output']> | Promise<NoInfer<S['output']>>),
  settings: FakeSettings = {},
): Fake {
  const { backend, name } = tool;
  const { takesMs = 0 } = settings;
  return {
    backend,
    tool: name,
    takesMs,
    answer: typeof answer === 'function' ? (answer as Fake['answer']) : () => answer,
  };
}

/** A tool whose calls fail. With `times`, only that many calls fail, and later ones return the given output. */
export function failing<S extends Signature>(
  tool: ToolLike<S>,
  message: string,
  then?: { readonly times: number; readonly answer: NoInfer<S['output']> },
): Fake {
  let calls = 0;
  return {
    backend: tool.backend,
    tool: tool.name,
    takesMs: 0,
    answer: () => {
      calls += 1;
      if (then === undefined || calls <= then.times) throw new Error(message);
      return then.answer;
    },
  };
}
