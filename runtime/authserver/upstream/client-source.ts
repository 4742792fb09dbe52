/** As whom the gateway is known at an upstream. */
import type { UpstreamPlan } from '#schemas';
import type { Secret } from '../../auth/secrets.ts';

export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

export interface ClientIdentity {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: string | undefined;
  /** How the secret is sent; undefined where the upstream did not name a method. */
  readonly authentication: ClientAuthentication | undefined;
}

export interface ClientSource {
  /** @throws UpstreamError by rejecting */
  now(): Promise<ClientIdentity>;
  /** Is called when the upstream does not know this client, or its secret. */
  refused(client: ClientIdentity): Promise<void>;
}

/** A client that was registered by hand. */
export function createStaticClient({ clientId }: UpstreamPlan, secret: Secret | undefined): ClientSource {
  return {
    now: async () => ({ id: clientId ?? '', secret: secret?.value, authentication: undefined }),
    refused: async () => {},
  };
}
