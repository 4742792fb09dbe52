/**
 * The capabilities of this gateway for clients, independent of what its backends support now: a session cannot learn of a capability after it was
 * opened, while backends and their lists come, go and change. For a capability that no backend has, a client gets an empty list or the backend's own
 * refusal. Tasks are the exception, because a client that may create tasks calls tools in another way.
 */
export const SERVER_CAPABILITIES: { readonly [name: string]: object } = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};
