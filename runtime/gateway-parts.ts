/** Creates the parts of a gateway from its bundle. A failure is a BundleError that names the file of the bundle. */
import { VERSION } from '#schemas';
import type { Authorizer } from './auth/authorization/authorizer.ts';
import { PolicyError } from './auth/authorization/cedar-engine.ts';
import { createAuthorizer } from './auth/authorization/create-authorizer.ts';
import { SecretError } from './auth/secrets.ts';
import { BundleError } from './bundle/bundle-error.ts';
import type { LoadedBundle } from './bundle/load.ts';
import { CredentialPlanError } from './gateway/backends/open-credentials.ts';
import { Gateway, type GatewayOptions, type PreparedBundle } from './gateway/gateway.ts';
import type { PreparedLimits } from './gateway/limits/rate-limits.ts';
import type { Logger } from './observe/log.ts';
import { RedisError } from './redis/redis-error.ts';
import type { SessionStoreHandle } from './shared-sessions/open.ts';

/** @throws BundleError for invalid policies */
export function openAuthorizer({ bundle, file }: LoadedBundle, log: Logger): Authorizer {
  try {
    return createAuthorizer(bundle.authorization, log);
  } catch (error) {
    throw error instanceof PolicyError ? new BundleError(file, `authorization: ${error.message}`) : error;
  }
}

/** @throws BundleError for backends whose credentials are invalid */
export async function openCore(
  { bundle, file }: LoadedBundle,
  authorizer: Authorizer,
  options: Omit<GatewayOptions, 'version'>,
): Promise<Gateway> {
  try {
    return await Gateway.open(bundle, authorizer, { version: VERSION, ...options });
  } catch (error) {
    throw refuseCredentials(file, error);
  }
}

/** @throws BundleError for backends whose credentials are invalid */
export async function prepareCore(
  { bundle, file }: LoadedBundle,
  gateway: Gateway,
  authorizer: Authorizer,
  onSwap: () => void,
): Promise<PreparedBundle> {
  try {
    return await gateway.prepare(bundle, authorizer, onSwap);
  } catch (error) {
    throw refuseCredentials(file, error);
  }
}

/** @throws BundleError for limits whose Redis does not respond */
export async function prepareLimits({ bundle, file }: LoadedBundle, { limits }: Gateway): Promise<PreparedLimits> {
  try {
    return await limits.prepare(bundle);
  } catch (error) {
    const isExpected = error instanceof SecretError || error instanceof RedisError;
    throw isExpected ? new BundleError(file, `rateLimiting: ${error.message}`) : error;
  }
}

/**
 * Opens the store of shared sessions; undefined for a gateway without shared sessions. Does not wait until the store responds: until then, requests
 * in sessions of other replicas get 503.
 *
 * @throws BundleError for secrets that are missing
 */
export async function openStore({ bundle, file }: LoadedBundle, log: Logger): Promise<SessionStoreHandle | undefined> {
  if (bundle.sessionStorage === undefined) return undefined;
  const { openSessionStore } = await import('./shared-sessions/open.ts');
  try {
    return openSessionStore(bundle.sessionStorage, bundle, log);
  } catch (error) {
    throw error instanceof SecretError ? new BundleError(file, error.message) : error;
  }
}

function refuseCredentials(file: string, error: unknown): unknown {
  return error instanceof CredentialPlanError ? new BundleError(file, error.message) : error;
}
