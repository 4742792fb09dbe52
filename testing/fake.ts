/** Tools that answer as a test says. */

/** A fake's name of a tool: one of `lintel/cdk8s`, which has types, or any tool of a backend. */
export interface ToolLike<S extends Signature = Signature> {
  readonly backend: string;
  readonly name: string;
  readonly signature?: S;
}

/** What a tool takes and gives. */
export interface Signature {
  readonly input: object;
  readonly output: unknown;
}

/** A tool that stands in for one of a backend. Made by {@link fake} and {@link failing}. */
export interface Fake {
  readonly backend: string;
  readonly tool: string;
  /** How long a call takes, in milliseconds of the dry run. */
  readonly takesMs: number;
  /** @throws what the call fails with */
  answer(args: never): unknown;
}

/** Settings of a fake. */
export interface FakeSettings {
  /** How long a call takes, in milliseconds of virtual time. 0 unless given. */
  readonly takesMs?: number;
}

/**
 * A tool that gives this output, or works it out from the arguments. What it gives is `structuredContent`, of the type that the tool
 * lock knows.
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

/** A tool that fails, at the first calls only if `times` is given together with what it gives then. */
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
