import { type TSchema, Type } from 'typebox';
import { secretKeyRef } from './blocks.ts';
import { fields, oneOf, refined } from './define.ts';
import { redisSentinel } from './redis-sentinel.ts';
import { redisTls } from './redis-tls.ts';

export const sessionStorage: TSchema = fields(
  'SessionStorage',
  {
    provider: oneOf(['memory', 'redis'], {
      description: '`memory` keeps sessions inside each pod; `redis` lets every replica serve every session.',
    }),
    address: Type.Optional(
      Type.String({
        description: 'Redis server as `host:port`; provider `redis` needs it or `sentinelConfig`.',
        minLength: 1,
      }),
    ),
    db: Type.Optional(
      Type.Integer({ format: 'int32', minimum: 0, default: 0, description: 'Number of the Redis database.' }),
    ),
    keyPrefix: Type.Optional(Type.String({ description: 'Text put before every key, to share one Redis.' })),
    passwordRef: Type.Optional(refined(secretKeyRef, { description: 'Where the Redis password is kept.' })),
    usernameRef: Type.Optional(
      refined(secretKeyRef, {
        description:
          'Where the name of the Redis user is kept; needs `passwordRef`. Leave it out for servers that know a password only.',
      }),
    ),
    clusterMode: Type.Optional(
      Type.Boolean({ description: 'Speak the cluster protocol; `address` is that of one node of the cluster.' }),
    ),
    sentinelConfig: Type.Optional(redisSentinel),
    tls: Type.Optional(refined(redisTls, { description: 'TLS toward the server or master. Absent: plain text.' })),
    sentinelTls: Type.Optional(
      refined(redisTls, { description: 'TLS toward the sentinels; only with `sentinelConfig`. Absent: plain text.' }),
    ),
  },
  {
    description: 'Where MCP sessions live. Several replicas need a store that they share.',
    rules: [
      {
        rule: "self.provider != 'redis' || has(self.address) || has(self.sentinelConfig)",
        message:
          "sessionStorage.address is missing: set host:port of the server, or sentinelConfig, when provider is 'redis'",
      },
      {
        rule: '!has(self.sentinelConfig) || !has(self.address)',
        message: 'sessionStorage.address cannot be combined with sentinelConfig: the sentinels name the server',
      },
      {
        rule: '!has(self.sentinelConfig) || !has(self.clusterMode) || !self.clusterMode',
        message: 'sessionStorage.clusterMode cannot be combined with sentinelConfig: a cluster has no sentinels',
      },
    ],
  },
);
