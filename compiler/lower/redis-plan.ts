/** The Redis of `sessionStorage`, which limits of calls are kept in too. */
import { ENV_PREFIX, type GatewayConfig, type RedisPlan, type VirtualMCPServerSpec } from '#schemas';
import { mountedSecret } from './mounted-secret.ts';
import type { Tracked } from './tracked.ts';

export type WrittenStorage = Tracked<NonNullable<VirtualMCPServerSpec['sessionStorage']>>;

/** The variable with the password, outside of a cluster. */
const PASSWORD_VARIABLE = `${ENV_PREFIX}SESSION_REDIS_PASSWORD`;

/** That of `config` is for gateways outside of a cluster, and has fewer members. Undefined where neither is written. */
export function writtenStorage(
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): WrittenStorage | undefined {
  return spec.child('sessionStorage') ?? (config?.child('sessionStorage') as WrittenStorage | undefined);
}

/** @param storage of provider `redis` */
export function redisPlanOf(storage: WrittenStorage, timeouts: RedisPlan['timeouts']): RedisPlan {
  return {
    mode: 'standalone',
    addresses: [storage.get('address') ?? ''],
    masterName: null,
    db: storage.get('db') ?? 0,
    username: null,
    ...passwordOf(storage),
    tls: null,
    sentinelTls: null,
    timeouts,
  };
}

/** `config.sessionStorage` has no member for the password: the variable says it, and whether there is one. */
function passwordOf(storage: WrittenStorage): Pick<RedisPlan, 'password' | 'mayLackPassword'> {
  if (storage.path.includes('config'))
    return { password: { env: PASSWORD_VARIABLE, file: null }, mayLackPassword: true };
  const ref = storage.get('passwordRef');
  return { password: ref === undefined ? null : mountedSecret(ref, PASSWORD_VARIABLE), mayLackPassword: false };
}
