/** How sentinels are asked for the primary of a Redis. */
import { type TSchema, Type } from 'typebox';
import { fields } from './define.ts';

export const redisSentinel: TSchema = fields(
  'RedisSentinel',
  {
    masterName: Type.String({ description: 'Name of the master that the sentinels watch.' }),
    sentinelAddrs: Type.Optional(
      Type.Array(Type.String(), {
        description: 'Sentinels as `host:port`; cannot be combined with `sentinelService`.',
      }),
    ),
    sentinelService: Type.Optional(
      fields(
        'RedisSentinelService',
        {
          name: Type.String({ description: 'Name of the Service.' }),
          namespace: Type.Optional(
            Type.String({ description: 'Namespace of the Service. Default: the namespace of this object.' }),
          ),
          port: Type.Optional(
            Type.Integer({ format: 'int32', default: 26379, description: 'TCP port of the sentinels.' }),
          ),
        },
        { description: 'Service of the sentinels; cannot be combined with `sentinelAddrs`.' },
      ),
    ),
    db: Type.Optional(Type.Integer({ format: 'int32', default: 0, description: 'Number of the Redis database.' })),
  },
  { description: 'High availability through Redis Sentinel; cannot be combined with the address of a server.' },
);
