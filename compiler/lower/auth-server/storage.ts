import type { AuthServerPlan } from '#schemas';
import type { Tracked } from '../tracked.ts';
import type { AuthServerSpec } from './auth-server.ts';

/** Null: in the memory of the process. */
export function lowerAuthServerStorage(
  storage: Tracked<NonNullable<AuthServerSpec['storage']>> | undefined,
): AuthServerPlan['storage'] {
  if (storage === undefined) return null;
  if ((storage.get('type') ?? 'memory') === 'memory') storage.ignore('redis', 'storage.type is memory');
  else storage.unsupported('redis', 'state of the authorization server in Redis');
  return null;
}
