import { type TSchema, Type } from 'typebox';
import { duration, secretKeyRef } from '../blocks.ts';
import { fields, oneOf, refined } from '../define.ts';
import { redisSentinel } from '../redis-sentinel.ts';
import { redisTls } from '../redis-tls.ts';

const redis = fields(
  'AuthServerRedis',
  {
    addr: Type.Optional(
      Type.String({
        description:
          'Address as `host:port` of a standalone server or of one node of a cluster; cannot be combined with `sentinelConfig`.',
      }),
    ),
    clusterMode: Type.Optional(Type.Boolean({ description: 'Use the Redis Cluster protocol; requires `addr`.' })),
    sentinelConfig: Type.Optional(redisSentinel),
    aclUserConfig: fields(
      'RedisAclUser',
      {
        passwordSecretRef: refined(secretKeyRef, { description: 'Secret with the password.' }),
        usernameSecretRef: Type.Optional(
          refined(secretKeyRef, {
            description: 'Secret with the user name. Leave it out if the server only requires a password.',
          }),
        ),
      },
      { description: 'Credentials of the Redis user.' },
    ),
    dialTimeout: Type.Optional(duration({ default: '5s', description: 'Time limit for connecting.' })),
    readTimeout: Type.Optional(duration({ default: '3s', description: 'Time limit for a response.' })),
    writeTimeout: Type.Optional(duration({ default: '3s', description: 'Time limit for sending a request.' })),
    tls: Type.Optional(refined(redisTls, { description: 'TLS toward the server or master. Absent: no TLS.' })),
    sentinelTls: Type.Optional(
      refined(redisTls, { description: 'TLS toward the sentinels; only with `sentinelConfig`. Absent: no TLS.' }),
    ),
  },
  {
    description: 'Redis that stores the state.',
    rules: [
      {
        rule: '(has(self.addr) && size(self.addr) > 0) != has(self.sentinelConfig)',
        message: 'set either addr or sentinelConfig, not both and not neither',
      },
      {
        rule: '!has(self.clusterMode) || !self.clusterMode || (has(self.addr) && size(self.addr) > 0)',
        message: 'clusterMode works with addr only: give the address of one cluster node',
      },
    ],
  },
);

export const authServerStorage: TSchema = fields(
  'AuthServerStorage',
  {
    type: Type.Optional(
      oneOf(['memory', 'redis'], {
        default: 'memory',
        description:
          '`memory`: clients, codes and tokens are lost at restart. `redis`: they survive restarts, and replicas share them.',
      }),
    ),
    redis: Type.Optional(redis),
  },
  { description: 'Where the authorization server keeps its state. Default: memory.' },
);
