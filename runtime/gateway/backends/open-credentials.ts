/** Selects the backends that get a credential or headers, and opens their credentials. */
import type { BackendPlan, PrivateDenial } from '#schemas';
import type { Logger } from '../../observe/log.ts';
import type { BackendCredentials } from './backend-credentials.ts';

/** The plan of a backend cannot work. The message names the backend, the cause and what to do; never a secret. */
export class CredentialPlanError extends Error {
  readonly code = 'ERR_CREDENTIAL_PLAN';
  constructor(backend: string, cause: Error) {
    super(`backend "${backend}": ${cause.message}`, { cause });
    this.name = 'CredentialPlanError';
  }
}

/** Whether a backend gets a credential or headers with its requests; most backends get neither. */
export function needsCredentials({ auth, headers }: BackendPlan, passed: readonly string[]): boolean {
  return auth.type !== 'unauthenticated' || headers.length > 0 || passed.length > 0;
}

/**
 * Opens the credentials of the plans that need any, by name of the backend. The caller closes them.
 * @param passed names of the client's headers that the gateway forwards
 * @throws CredentialPlanError, and leaves nothing open
 */
export async function openCredentials(
  plans: readonly BackendPlan[],
  passed: readonly string[],
  log: Logger,
  denial?: PrivateDenial,
): Promise<ReadonlyMap<string, BackendCredentials>> {
  const needing = plans.filter(plan => needsCredentials(plan, passed));
  if (needing.length === 0) return new Map();
  // This module is loaded only when a bundle needs it.
  const { BackendCredentials: Credentials } = await import('./backend-credentials.ts');
  const opened = new Map<string, BackendCredentials>();
  try {
    for (const plan of needing) opened.set(plan.name, await openOne(plan));
    return opened;
  } catch (error) {
    await Promise.all([...opened.values()].map(credentials => credentials.close()));
    throw error;
  }

  async function openOne(plan: BackendPlan): Promise<BackendCredentials> {
    try {
      return await Credentials.open(plan, passed, log, denial);
    } catch (error) {
      throw new CredentialPlanError(plan.name, error as Error);
    }
  }
}
