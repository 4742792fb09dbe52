/** What a client says about itself: once in `initialize`, or in `_meta` of every request of the stateless revision. */
export interface ClientTraits {
  /** What it can be asked for, verbatim: `elicitation`, `sampling`, `roots`, … */
  readonly capabilities: { readonly [name: string]: unknown };
  /** Its name and version, verbatim; for the backend's log only. */
  readonly clientInfo?: { readonly [name: string]: unknown } | undefined;
}

/** What we are to a backend on our own account: a client that can be asked for nothing. */
export const OURSELVES: ClientTraits = { capabilities: {} };

/** The capability that a client announces to be asked something; there is no other question in the specification. */
export const CAPABILITY_OF_QUESTION: ReadonlyMap<string, string> = new Map([
  ['elicitation/create', 'elicitation'],
  ['sampling/createMessage', 'sampling'],
  ['roots/list', 'roots'],
]);

/** The requests that may be answered with questions. */
export const MAY_NEED_INPUT: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
