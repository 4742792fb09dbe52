/** Clients that have announced the same capabilities: backends may offer them more, or less, than others. */
import { hash } from 'node:crypto';
import { canonicalJson } from '#schemas';
import { type ClientTraits, StoredTraits } from '../../mcp/client-traits.ts';

export interface CapabilitySet {
  /** Equal for equal capabilities, in whatever order they were announced. */
  readonly key: string;
  /** Nothing but the capabilities. */
  readonly client: ClientTraits;
}

/** Undefined for clients that announce nothing: what they are offered the gateway reads on its own account. */
export function createCapabilitySet(capabilities: ClientTraits['capabilities']): CapabilitySet | undefined {
  if (Object.keys(capabilities).length === 0) return undefined;
  const key = hash('sha256', canonicalJson(capabilities), 'base64url');
  return { key, client: new StoredTraits({ capabilities }) };
}
