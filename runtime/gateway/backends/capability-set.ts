/** A capability set: the clients that announced the same capabilities. Backends may give them other lists than other clients. */
import { hash } from 'node:crypto';
import { formatCanonicalJson } from '#schemas';
import { type ClientTraits, StoredTraits } from '../../mcp/client-traits.ts';

export interface CapabilitySet {
  /** A key that is equal for equal capabilities in any order. */
  readonly key: string;
  /** A client with these capabilities, and with no other traits. */
  readonly client: ClientTraits;
}

/** The capability set of a client; undefined for clients without capabilities: they get the gateway's own lists. */
export function createCapabilitySet(capabilities: ClientTraits['capabilities']): CapabilitySet | undefined {
  if (Object.keys(capabilities).length === 0) return undefined;
  const key = hash('sha256', formatCanonicalJson(capabilities), 'base64url');
  return { key, client: new StoredTraits({ capabilities }) };
}
