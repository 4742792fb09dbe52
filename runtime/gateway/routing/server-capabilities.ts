/**
 * What this gateway can do for clients, whatever its backends can now: a session cannot learn of a capability later
 * on, while backends come, go and change, and lists with them. What no backend has is an empty list, or the backend's own
 * refusal. Tasks are the exception, because a client that may make tasks calls tools in another way.
 */
export const SERVER_CAPABILITIES: { readonly [name: string]: object } = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};
