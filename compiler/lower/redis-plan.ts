/** The Redis of `sessionStorage`, which limits of calls are kept in too. */
import { ENV_PREFIX, type GatewayConfig, type RedisPlan, type RedisTlsPlan, type VirtualMCPServerSpec } from '#schemas';
import { mountedSecret } from './mounted-secret.ts';
import type { Tracked } from './tracked.ts';

type SessionStorage = NonNullable<VirtualMCPServerSpec['sessionStorage']>;
export type WrittenStorage = Tracked<SessionStorage>;
type WrittenTls = Tracked<NonNullable<SessionStorage['tls']>>;

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
  const isCluster = storage.get('clusterMode') === true;
  if (isCluster) storage.ignore('db', 'a cluster has database 0 alone');
  const hasPassword = storage.peek('passwordRef') !== undefined;
  if (!hasPassword) storage.ignore('usernameRef', 'a user of Redis is known by its password: set passwordRef');
  const username = hasPassword ? storage.get('usernameRef') : undefined;
  return {
    mode: isCluster ? 'cluster' : 'standalone',
    addresses: [storage.get('address') ?? ''],
    masterName: null,
    db: isCluster ? 0 : (storage.get('db') ?? 0),
    username: username === undefined ? null : mountedSecret(username, null),
    ...passwordOf(storage),
    tls: tlsOf(storage.child('tls')),
    sentinelTls: null,
    timeouts,
  };
}

function tlsOf(tls: WrittenTls | undefined): RedisTlsPlan | null {
  if (tls === undefined) return null;
  // Its presence alone switches it on.
  const [ca, insecureSkipVerify = false] = [tls.get('caCertSecretRef'), tls.get('insecureSkipVerify')];
  return { ca: ca === undefined ? null : mountedSecret(ca, null), insecureSkipVerify };
}

/** `config.sessionStorage` has no member for the password: the variable says it, and whether there is one. */
function passwordOf(storage: WrittenStorage): Pick<RedisPlan, 'password' | 'mayLackPassword'> {
  if (storage.path.includes('config'))
    return { password: { env: PASSWORD_VARIABLE, file: null }, mayLackPassword: true };
  const ref = storage.get('passwordRef');
  return { password: ref === undefined ? null : mountedSecret(ref, PASSWORD_VARIABLE), mayLackPassword: false };
}
