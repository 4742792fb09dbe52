/**
 * The stored state of a run while its client is away. Only the holder of the secret can read it, and only for the same caller and call. The
 * client has the secret as its `requestState`; the store has neither the secret nor the means to decrypt the state.
 */
import { hkdfSync, randomBytes } from 'node:crypto';
import { openText, SEAL_KEY_BYTES, sealText } from '../../sealed-text.ts';

/** The call that a state belongs to. */
export interface StateOwner {
  /** `Identity.key` of the caller. */
  readonly owner: string;
  readonly workflow: string;
  /** The digest of the call's arguments, as `digestArguments` returns it. */
  readonly about: string;
}

export function createSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function seal(text: string, secret: string, owner: StateOwner): string {
  return sealText(text, deriveKey(secret), formatPurpose(owner));
}

/** The state as text; undefined when it was sealed with another secret, or for another call. */
export function unseal(sealed: string, secret: string, owner: StateOwner): string | undefined {
  return openText(sealed, deriveKey(secret), formatPurpose(owner));
}

function deriveKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'lintel workflow state', SEAL_KEY_BYTES));
}

function formatPurpose({ owner, workflow, about }: StateOwner): string {
  return JSON.stringify([owner, workflow, about]);
}
