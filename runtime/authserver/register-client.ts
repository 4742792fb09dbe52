/** Creates clients, and describes registration errors (RFC 7591, section 3.2.2). */
import { randomBytes, randomUUID } from 'node:crypto';
import type Provider from 'oidc-provider';
import { digestSecret } from './client-secret.ts';
import { type ClientMetadata, RegistrationRefusedError } from './registration.ts';

/** Creates a client, and returns the body of the response to its registration. */
export async function register(
  provider: Provider,
  metadata: ClientMetadata,
): Promise<ClientMetadata & { readonly client_id: string }> {
  const isPublic = metadata.token_endpoint_auth_method === 'none';
  const known = {
    ...metadata,
    client_id: randomUUID(),
    client_id_issued_at: Math.floor(Date.now() / 1000),
    ...(isPublic ? {} : { client_secret: randomBytes(32).toString('base64url'), client_secret_expires_at: 0 }),
  };
  const client = new provider.Client(known);
  const { client_secret: secret, ...publicMetadata } = client.metadata();
  const digest = typeof secret === 'string' ? { client_secret: digestSecret(secret) } : {};
  await provider.Client.adapter.upsert(client.clientId, { ...publicMetadata, ...digest });
  return known;
}

export function findRefusal(
  error: unknown,
): { readonly error: string; readonly error_description: string } | undefined {
  if (error instanceof RegistrationRefusedError) return { error: error.error, error_description: error.message };
  const {
    error: code,
    error_description: description,
    statusCode,
  } = error as {
    error?: unknown;
    error_description?: unknown;
    statusCode?: unknown;
  };
  if (typeof code !== 'string' || statusCode !== 400) return undefined;
  return { error: code, error_description: String(description ?? '') };
}
