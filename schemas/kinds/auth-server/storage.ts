import { type TSchema, Type } from 'typebox';
import { duration, secretKeyRef } from '../blocks.ts';
import { fields, oneOf, refined } from '../define.ts';
import { redisSentinel } from '../redis-sentinel.ts';
import { redisTls } from '../redis-tls.ts';

const redis = fields(
  'AuthServerRedis',
  {
    addr: Type.Optional(
      Type.String({ description: 'Server as `host:port`, standalone or one of a cluster; not with `sentinelConfig`.' }),
    ),
    clusterMode: Type.Optional(Type.Boolean({ description: 'Speak the cluster protocol; needs `addr`.' })),
    sentinelConfig: Type.Optional(redisSentinel),
    aclUserConfig: fields(
      'RedisAclUser',
      {
        passwordSecretRef: refined(secretKeyRef, { description: 'Where the password is kept.' }),
        usernameSecretRef: Type.Optional(
          refined(secretKeyRef, {
            description: 'Where the user name is kept. Leave it out for servers that know a password only.',
          }),
        ),
      },
      { description: 'Credentials of the Redis user.' },
    ),
    dialTimeout: Type.Optional(duration({ default: '5s', description: 'Longest wait for a connection.' })),
    readTimeout: Type.Optional(duration({ default: '3s', description: 'Longest wait for an answer.' })),
    writeTimeout: Type.Optional(duration({ default: '3s', description: 'Longest wait until a request is sent.' })),
    tls: Type.Optional(refined(redisTls, { description: 'TLS toward the server or master. Absent: plain text.' })),
    sentinelTls: Type.Optional(
      refined(redisTls, { description: 'TLS toward the sentinels; only with `sentinelConfig`. Absent: plain text.' }),
    ),
  },
  {
    description: 'The Redis that keeps the state.',
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
        description: '`memory` forgets clients, codes and tokens at restart; `redis` keeps them and is shared.',
      }),
    ),
    redis: Type.Optional(redis),
  },
  { description: 'Where the authorization server keeps its state. Default: memory.' },
);
