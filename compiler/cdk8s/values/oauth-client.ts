import type { SecretKey } from './secret.ts';

/** How the gateway names itself at a token endpoint: with both parts, because half of it would never be sent. */
export interface OAuthClient {
  /** Client identifier. */
  readonly id: string;
  /** Client secret. */
  readonly secret: SecretKey;
}
