import { type AuthServerPlan, ENV_PREFIX, type RedisPlan } from '#schemas';
import { toMountedSecret } from '../../resolve/mounted-secret.ts';
import type { Tracked } from '../../resolve/tracked.ts';
import { parseDurationMs } from '../../text/duration.ts';
import { lowerRedisTls, lowerWatchedServer } from '../redis-plan.ts';
import type { AuthServerSpec } from './auth-server.ts';

type Storage = NonNullable<AuthServerSpec['storage']>;
type WrittenRedis = Tracked<NonNullable<Storage['redis']>>;

const DEFAULT_TIMEOUTS = { dialTimeout: '5s', readTimeout: '3s', writeTimeout: '3s' } as const;

/** Prefix of the variables with the Redis user and password, for gateways outside of a cluster. */
const VARIABLES = `${ENV_PREFIX}AUTH_SERVER_REDIS_`;

/**
 * Where the authorization server stores its state; null for the memory of the process.
 * @param namespace of the gateway
 */
export function lowerAuthServerStorage(
  storage: Tracked<Storage> | undefined,
  namespace: string,
): AuthServerPlan['storage'] {
  if (storage === undefined) return null;
  const redis = storage.get('type') === 'redis' ? storage.child('redis') : undefined;
  if (redis !== undefined) return { redis: lowerRedis(redis, namespace) };
  storage.ignore('redis', 'storage.type is memory');
  return null;
}

function lowerRedis(redis: WrittenRedis, namespace: string): RedisPlan {
  const acl = redis.child('aclUserConfig');
  const [username, password] = [acl?.get('usernameSecretRef'), acl?.get('passwordSecretRef')];
  return {
    ...lowerServer(redis, namespace),
    username: username === undefined ? null : toMountedSecret(username, `${VARIABLES}USERNAME`),
    password: password === undefined ? null : toMountedSecret(password, `${VARIABLES}PASSWORD`),
    mayLackPassword: false,
    tls: lowerRedisTls(redis.child('tls')),
    timeouts: {
      dialMs: lowerTimeout(redis, 'dialTimeout'),
      readMs: lowerTimeout(redis, 'readTimeout'),
      writeMs: lowerTimeout(redis, 'writeTimeout'),
    },
  };
}

function lowerServer(
  redis: WrittenRedis,
  namespace: string,
): Pick<RedisPlan, 'mode' | 'addresses' | 'masterName' | 'db' | 'sentinelTls'> {
  const sentinels = redis.child('sentinelConfig');
  if (sentinels !== undefined)
    return { ...lowerWatchedServer(sentinels, namespace), sentinelTls: lowerRedisTls(redis.child('sentinelTls')) };
  // This field has no effect, as a rule reports.
  redis.get('sentinelTls');
  return {
    mode: redis.get('clusterMode') === true ? 'cluster' : 'standalone',
    addresses: [redis.get('addr') ?? ''],
    masterName: null,
    db: 0,
    sentinelTls: null,
  };
}

function lowerTimeout(redis: WrittenRedis, field: keyof typeof DEFAULT_TIMEOUTS): number {
  return parseDurationMs(redis.get(field) ?? DEFAULT_TIMEOUTS[field]);
}
