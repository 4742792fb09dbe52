import { checkProps } from './known-props.ts';
import { captureCall } from './origins.ts';
import type { GatewayPart } from './part.ts';
import type { RedisAtAddress, RedisBehindSentinels, RedisTls } from './redis.ts';
import { toManifestValue } from './values/manifest-value.ts';
import type { SecretKey } from './values/secret.ts';

interface CommonProps {
  /** Prefix of every key, to share one Redis; it ends with a colon. */
  readonly keyPrefix?: `${string}:`;
  /** Reference to the password. */
  readonly password?: SecretKey;
  /** Reference to the user's name; requires `password`. Leave it out for servers that support only a password. */
  readonly username?: SecretKey;
  /** TLS to the server or master. Absent: plain text. */
  readonly tls?: RedisTls;
}

/** A Redis that the replicas of a gateway share: by its address (standalone or a cluster node) or by its sentinels. */
export type RedisProps = CommonProps &
  (
    | (RedisAtAddress & {
        /** Number of the database. Default: 0. */
        readonly db?: number;
      })
    | (RedisBehindSentinels & { readonly db?: never })
  );

const POINTER = '/spec/sessionStorage';

function memory(): GatewayPart {
  const callSite = captureCall(memory).at();
  return {
    bind: () => ({ spec: { sessionStorage: { provider: 'memory' } }, origins: [{ pointer: POINTER, callSite }] }),
  };
}

function redis(props: RedisProps): GatewayPart {
  const call = captureCall(redis);
  checkProps('Sessions.redis', props, {
    address: true,
    db: true,
    keyPrefix: true,
    password: true,
    username: true,
    clusterMode: true,
    sentinels: true,
    tls: true,
    sentinelTls: true,
  });
  const { password: passwordRef, username: usernameRef, sentinels: sentinelConfig, ...rest } = props;
  const sessionStorage = {
    provider: 'redis' as const,
    ...(toManifestValue({ ...rest, sentinelConfig, passwordRef, usernameRef }) as object),
  };
  return {
    bind: () => ({
      spec: { sessionStorage },
      origins: [
        { pointer: POINTER, callSite: call.at(0) },
        { pointer: `${POINTER}/passwordRef`, callSite: call.at(0, 'password') },
        { pointer: `${POINTER}/usernameRef`, callSite: call.at(0, 'username') },
        { pointer: `${POINTER}/sentinelConfig`, callSite: call.at(0, 'sentinels') },
      ],
    }),
  };
}

/** Stores of MCP sessions. */
export const Sessions = {
  /**
   * Sessions in the memory of each pod. Several replicas need a shared store.
   *
   * @example new Gateway(this, 'eng', { group, incoming, sessions: Sessions.memory() });
   */
  memory,
  /**
   * A Redis that all replicas share.
   *
   * @example
   * new Gateway(this, 'eng', {
   *   group,
   *   incoming,
   *   replicas: 3,
   *   sessions: Sessions.redis({ address: 'redis.cache:6379', password: Secret.key('redis', 'password') }),
   * });
   */
  redis,
};
