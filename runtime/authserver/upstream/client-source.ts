/** The gateway's OAuth client at an upstream. */
import type { UpstreamPlan } from '#schemas';
import type { Secret } from '../../auth/secrets.ts';

export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post';

export interface ClientIdentity {
  readonly id: string;
  /** Undefined for a public client. */
  readonly secret: string | undefined;
  /** The authentication method with which the secret is sent; undefined when the upstream named no method. */
  readonly authentication: ClientAuthentication | undefined;
}

export interface ClientSource {
  /** @throws UpstreamError by rejecting */
  now(): Promise<ClientIdentity>;
  /** Reports that the upstream refused the client or its secret. */
  refused(client: ClientIdentity): Promise<void>;
}

/** A manually registered client. */
export function createStaticClient({ clientId }: UpstreamPlan, secret: Secret | undefined): ClientSource {
  return {
    now: async () => ({ id: clientId ?? '', secret: secret?.value, authentication: undefined }),
    refused: async () => {},
  };
}
