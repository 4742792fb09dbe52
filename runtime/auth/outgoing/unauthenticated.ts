import type { OutgoingAuth } from './credential.ts';

const NOTHING: readonly string[] = [];

/** Sends nothing, in particular not the client's own credentials. */
export const UNAUTHENTICATED: OutgoingAuth = {
  isPerCaller: false,
  own: { getHeaders: () => NOTHING, rejected: () => false },
  getCredential: () => ({ getHeaders: () => NOTHING, rejected: () => false }),
  close: async () => {},
};
