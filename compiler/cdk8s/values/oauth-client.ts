import type { SecretKey } from './secret.ts';

/** How the gateway names itself at a token endpoint: with both parts, because half of it would be sent to nobody. */
export interface OAuthClient {
  /** Client identifier. */
  readonly id: string;
  /** Client secret. */
  readonly secret: SecretKey;
}
