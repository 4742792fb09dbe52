/** The Redis of `sessionStorage`, which limits of calls are kept in too. */
import { ENV_PREFIX, type GatewayConfig, type RedisPlan, type SecretSource, type VirtualMCPServerSpec } from '#schemas';
import { mountedSecret } from './mounted-secret.ts';

type InCluster = NonNullable<VirtualMCPServerSpec['sessionStorage']>;
type Standalone = NonNullable<GatewayConfig['sessionStorage']>;

/** The variable with the password, outside of a cluster. */
const PASSWORD_VARIABLE = `${ENV_PREFIX}SESSION_REDIS_PASSWORD`;

/** @param storage of provider `redis` */
export function redisPlanOf(storage: InCluster | Standalone, timeouts: RedisPlan['timeouts']): RedisPlan {
  return {
    mode: 'standalone',
    addresses: [storage.address ?? ''],
    masterName: null,
    db: storage.db ?? 0,
    username: null,
    password: passwordOf(storage),
    tls: null,
    sentinelTls: null,
    timeouts,
  };
}

function passwordOf(storage: InCluster | Standalone): SecretSource | null {
  const ref = (storage as InCluster).passwordRef;
  return ref === undefined ? null : mountedSecret(ref, PASSWORD_VARIABLE);
}
