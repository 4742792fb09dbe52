import type { SecretSource } from '#schemas';
import type { Secret } from '../secrets.ts';

/**
 * Opens a secret of a plan; `what` describes the secret in messages: `value of header X-API-Key`.
 * @throws SecretError
 */
export type OpenSecret = (source: SecretSource, what: string) => Secret;
