import type { OutgoingAuth } from './credential.ts';

const NOTHING: readonly string[] = [];

/** Nothing is sent, least of all what the client sent to us. */
export const UNAUTHENTICATED: OutgoingAuth = {
  isPerCaller: false,
  own: { headersFor: () => NOTHING, rejected: () => false },
  credentialFor: () => ({ headersFor: () => NOTHING, rejected: () => false }),
  close: async () => {},
};
