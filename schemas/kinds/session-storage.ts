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
    keyPrefix: Type.Optional(
      Type.String({ description: 'Prefix of every key, so that several gateways can share one Redis.' }),
    ),
    passwordRef: Type.Optional(refined(secretKeyRef, { description: 'Secret with the Redis password.' })),
    usernameRef: Type.Optional(
      refined(secretKeyRef, {
        description:
          'Secret with the name of the Redis user; requires `passwordRef`. Leave it out if the server only requires a password.',
      }),
    ),
    clusterMode: Type.Optional(
      Type.Boolean({ description: 'Use the Redis Cluster protocol; `address` is then the address of one node.' }),
    ),
    sentinelConfig: Type.Optional(redisSentinel),
    tls: Type.Optional(refined(redisTls, { description: 'TLS toward the server or master. Absent: no TLS.' })),
    sentinelTls: Type.Optional(
      refined(redisTls, { description: 'TLS toward the sentinels; only with `sentinelConfig`. Absent: no TLS.' }),
    ),
  },
  {
    description: 'Where MCP sessions are stored. Several replicas need a shared store.',
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
