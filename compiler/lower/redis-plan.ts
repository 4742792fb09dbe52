/** The Redis of `sessionStorage`, which also stores rate limits, and the common parts of all Redis blocks. */
import {
  CLUSTER_SERVICE_DOMAIN,
  ENV_PREFIX,
  type GatewayConfig,
  type RedisPlan,
  type RedisTlsPlan,
  type VirtualMCPServerSpec,
} from '#schemas';
import { toMountedSecret } from '../resolve/mounted-secret.ts';
import type { Tracked } from '../resolve/tracked.ts';

type SessionStorage = NonNullable<VirtualMCPServerSpec['sessionStorage']>;
export type TrackedStorage = Tracked<SessionStorage>;
type WrittenSentinels = Tracked<NonNullable<SessionStorage['sentinelConfig']>>;
type WrittenTls = Tracked<NonNullable<SessionStorage['tls']>>;

/** The variable with the password outside of a cluster. */
const PASSWORD_VARIABLE = `${ENV_PREFIX}SESSION_REDIS_PASSWORD`;

const DEFAULT_SENTINEL_PORT = 26_379;

/** The storage in `config` is for gateways outside of a cluster and has fewer members. Undefined when neither is set. */
export function findSessionStorage(
  spec: Tracked<VirtualMCPServerSpec>,
  config: Tracked<GatewayConfig> | undefined,
): TrackedStorage | undefined {
  return spec.child('sessionStorage') ?? (config?.child('sessionStorage') as TrackedStorage | undefined);
}

/**
 * @param storage with the provider `redis`
 * @param namespace of the gateway
 */
export function lowerRedis(storage: TrackedStorage, namespace: string, timeouts: RedisPlan['timeouts']): RedisPlan {
  const { sentinelTls, ...server } = lowerServer(storage, namespace);
  const hasPassword = storage.peek('passwordRef') !== undefined;
  if (!hasPassword) storage.ignore('usernameRef', 'a user of Redis is known by its password: set passwordRef');
  const username = hasPassword ? storage.get('usernameRef') : undefined;
  return {
    ...server,
    username: username === undefined ? null : toMountedSecret(username, null),
    ...lowerPassword(storage),
    tls: lowerRedisTls(storage.child('tls')),
    sentinelTls,
    timeouts,
  };
}

/** How to find the server: at its address, at the address of a cluster node, or through sentinels. */
function lowerServer(
  storage: TrackedStorage,
  namespace: string,
): Pick<RedisPlan, 'mode' | 'addresses' | 'masterName' | 'db' | 'sentinelTls'> {
  const sentinels = storage.child('sentinelConfig');
  const isCluster = storage.get('clusterMode') === true;
  if (sentinels !== undefined) {
    storage.ignore('db', 'the database of sentinels is sentinelConfig.db');
    return { ...lowerWatchedServer(sentinels, namespace), sentinelTls: lowerRedisTls(storage.child('sentinelTls')) };
  }
  // Without sentinels `sentinelTls` has no effect, as a rule reports.
  storage.get('sentinelTls');
  if (isCluster) storage.ignore('db', 'a cluster has database 0 alone');
  return {
    mode: isCluster ? 'cluster' : 'standalone',
    addresses: [storage.get('address') ?? ''],
    masterName: null,
    db: isCluster ? 0 : (storage.get('db') ?? 0),
    sentinelTls: null,
  };
}

/**
 * The primary that sentinels report.
 * @param namespace of the gateway
 */
export function lowerWatchedServer(
  sentinels: WrittenSentinels,
  namespace: string,
): Pick<RedisPlan, 'mode' | 'addresses' | 'masterName' | 'db'> {
  return {
    mode: 'sentinel',
    addresses: listSentinelAddresses(sentinels, namespace),
    masterName: sentinels.get('masterName'),
    db: sentinels.get('db') ?? 0,
  };
}

function listSentinelAddresses(sentinels: WrittenSentinels, namespace: string): string[] {
  const service = sentinels.child('sentinelService');
  if (service === undefined) return [...(sentinels.get('sentinelAddrs') ?? [])];
  const [name, port = DEFAULT_SENTINEL_PORT] = [service.get('name'), service.get('port')];
  return [`${name}.${service.get('namespace') ?? namespace}.${CLUSTER_SERVICE_DOMAIN}:${port}`];
}

/** Null for plain text. */
export function lowerRedisTls(tls: WrittenTls | undefined): RedisTlsPlan | null {
  if (tls === undefined) return null;
  // The presence of the block enables TLS.
  const [ca, insecureSkipVerify = false] = [tls.get('caCertSecretRef'), tls.get('insecureSkipVerify')];
  return { ca: ca === undefined ? null : toMountedSecret(ca, null), insecureSkipVerify };
}

/** `config.sessionStorage` has no field for the password: if the variable is set, it is the password. */
function lowerPassword(storage: TrackedStorage): Pick<RedisPlan, 'password' | 'mayLackPassword'> {
  if (storage.path.includes('config'))
    return { password: { env: PASSWORD_VARIABLE, file: null }, mayLackPassword: true };
  const ref = storage.get('passwordRef');
  return { password: ref === undefined ? null : toMountedSecret(ref, PASSWORD_VARIABLE), mayLackPassword: false };
}
