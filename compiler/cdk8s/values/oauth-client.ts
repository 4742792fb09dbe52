import type { SecretKey } from './secret.ts';

/** The OAuth client of the gateway at a token endpoint. Both parts are required, because half of a credential would never be sent. */
export interface OAuthClient {
  /** Client identifier. */
  readonly id: string;
  /** Client secret. */
  readonly secret: SecretKey;
}
